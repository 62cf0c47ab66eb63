import Big from 'big.js';
import { unitProblem } from './amount-unit.ts';
import { currencyOf } from './currencies.ts';
import { beforeDoubt, DOUBT, tellsNot, type ValueReading } from './reading.ts';

/** The decimal separator of an amount. */
export type Decimal = '.' | ',';

/**
 * Reads an amount of money above zero: `1000`, `+1000.50`, `1.234,56`, `1'234.56`, `12,34,567.00`, `€ 1 234,56`. The value is canonical:
 * without sign, leading zeros and trailing zeros of the fraction. So equal amounts are equal texts. All work is on text, never on floats.
 *
 * The amount is sent as a JSON number (docs/service.md, "Buyer limit request"), and most programs read those as doubles
 * (RFC 8259, section 6). So an amount is valid only if a double returns the same digits, without an exponent.
 *
 * @param given the cell
 * @param decimal the column's decimal separator; null if unknown. Then `1.234` is an open problem (a thousand or one?),
 *   and unambiguous amounts are still read.
 * @param contradiction the cells of the column that contradict each other about it, for the message of an open problem
 */
export function parseAmount(given: string, decimal: Decimal | null = null, contradiction?: string): ValueReading {
  if (given.length > MAX_LENGTH) return { problem: TOO_MANY_DIGITS };
  const text = withoutDash(given);
  const doubted = beforeDoubt(text);
  if (doubted !== null) return decimal === null ? { problem: DOUBTED, open: true } : parseAmount(doubted, decimal);
  const plain = decimal !== ',' && !isOpen(text) ? PLAIN_DECIMAL.exec(text) : null;
  if (plain) return canonical(plain[1] ?? '', plain[2] ?? '');
  const parts = partsOf(text);
  if (!parts) return { problem: whatIsWrong(text, decimal) };
  if (parts.negative) return { problem: ABOVE_ZERO };
  const split = splitDecimals(parts.body, decimal, contradiction);
  if ('problem' in split) return split;
  const { whole, fraction, group } = split;
  const written = WRITTEN.exec(`${whole}.${fraction}`);
  const reading = canonical(written?.[1] ?? '', written?.[2] ?? '');
  const change = describeChange({ ...parts, group, mark: split.mark });
  return 'value' in reading && change ? { ...reading, change } : reading;
}

/** An amount of zero or below, which no request may have, as canonical decimal text; null for any other text. */
export function zeroOrLess(text: string): string | null {
  const parts = text.length > MAX_LENGTH ? null : partsOf(withoutDash(text));
  const split = parts && splitDecimals(parts.body, null);
  if (!split || 'problem' in split) return null;
  const value = new Big(`${split.whole}.${split.fraction}0`);
  return parts.negative || value.eq(0) ? value.times(-1).plus(0).toFixed() : null;
}

/** The decimal separator that an amount proves; null if it proves none or is no amount. */
export function decimalOf(given: string): Decimal | null {
  const text = given.length > MAX_LENGTH ? given : withoutDash(given);
  if (text.length > MAX_LENGTH || isOpen(text)) return null;
  const parts = partsOf(text);
  const split = parts && splitDecimals(parts.body, null);
  if (!split || 'problem' in split) return null;
  if (split.mark) return split.mark;
  if (split.group === ',') return '.';
  return split.group === '.' ? ',' : null;
}

/** An amount with its zeros in place of the dash that says there are none: `5.000,-`, `5'000.--`. Swedish `5 000:-` and Indian `5,000/-` have no mark. */
function withoutDash(text: string): string {
  return DASHED.test(text)
    ? text.replace(DASHED, (_all, mark: string) => (/[.,]/.test(mark) ? `${mark}00` : ''))
    : text;
}

/** A mark and one or two dashes behind the last digit, at the end or before the currency. */
const DASHED = /(?<=\d)([.,:/])[-\u2012-\u2015\u2212]{1,2}(?=\)?$|\s*[\p{L}\p{Sc}]+\.?$)/u;

/** Most characters of an amount: more digits than a double can hold. On a very long text the patterns of this file would take long. */
const MAX_LENGTH = 64;

/** A plain decimal: sign and leading zeros, whole part, point, fraction, trailing zeros; ASCII digits only. */
const PLAIN_DECIMAL = /^\+?0*(\d+)(?:\.(?:(\d*[1-9])0*|0+))?$/;

/** Like {@link PLAIN_DECIMAL}, but without a sign, and always with a point; the fraction may be empty. */
const WRITTEN = /^0*(\d+)\.(?:(\d*[1-9])0*|0*)$/;

/** An ambiguous amount: three digits after its only separator, and no leading zero. The separator may be one of thousands or a decimal one. */
const OPEN = /^\D*[1-9]\d{0,2}[.,]\d{3}\D*$/;

/** Whether only its column tells whether an amount is one of thousands or has decimals. */
export function isOpen(text: string): boolean {
  return (text.includes('.') || text.includes(',')) && OPEN.test(text);
}

const CURRENCY = String.raw`(?:[A-Z]{0,3}\p{Sc}|[A-Z]{3}|Fr\.|kr\.?|zł|Kč|Ft|lei|EURO|[Ee]uros?)`;

/** An amount as people write it: bracket or sign, currency, sign, digits with separators, sign (SAP puts it last), currency, bracket. */
const AMOUNT = new RegExp(
  String.raw`^(\()?([-+\u2212])?\s*(${CURRENCY})?\s*([-+\u2212])?\s*(\d(?:[\d.,'’_\s]*\d)?)\s*([-\u2212])?\s*(${CURRENCY})?(\))?$`,
  'u',
);

type Parts = { body: string; negative: boolean; currency: string | undefined };

/** The digits, sign and currency of an amount; null if the text is no amount or has an unknown currency. */
function partsOf(text: string): Parts | null {
  const match = AMOUNT.exec(text);
  if (!match) return null;
  const [, bracket, sign, before, innerSign, body = '', lastSign, after, closing] = match;
  if ((bracket === undefined) !== (closing === undefined) || (before && after)) return null;
  const currency = before ?? after;
  if (currency !== undefined && currencyOf(currency) === null) return null;
  const negative = bracket !== undefined || [sign, innerSign, lastSign].some((one) => one === '-' || one === '\u2212');
  return { body: body.replace(/\s/g, ' ').replaceAll('’', "'"), negative, currency };
}

type Split = { whole: string; fraction: string; group: string | null; mark: Decimal | null };

/** Splits `1.234,56` into `1234` and `56`, and names the separators. */
function splitDecimals(
  body: string,
  decimal: Decimal | null,
  contradiction?: string,
): Split | { problem: string; open?: true } {
  const signs = [...new Set(body.replace(/\d/g, ''))];
  const last = signs.length > 0 ? lastSign(body) : '';
  if (signs.length === 0) return { whole: body, fraction: '', group: null, mark: null };
  if (signs.length === 1 && OPEN.test(body)) {
    if (decimal === null) return { problem: openMessage(body, contradiction), open: true };
    if (decimal !== last) return grouped(body, last, '', null);
  }
  const isMark = (last === '.' || last === ',') && body.indexOf(last) === body.lastIndexOf(last);
  if (signs.length > 2 || (signs.length === 2 && !isMark)) return { problem: `This is not an amount: ${PLAIN}.` };
  if (!isMark) return grouped(body, last, '', null);
  if (decimal !== null && decimal !== last)
    return {
      problem: `The amount has a ${NAMES[last]}, and this column has ${NAMES[decimal]}s: ${likeTheColumn(decimal)}.`,
    };
  const [whole = '', fraction = ''] = body.split(last);
  const group = signs.find((sign) => sign !== last);
  return group === undefined
    ? { whole, fraction, group: null, mark: last as Decimal }
    : grouped(whole, group, fraction, last as Decimal);
}

function grouped(
  whole: string,
  group: string,
  fraction: string,
  mark: Decimal | null,
): ReturnType<typeof splitDecimals> {
  const lengths = whole.split(group).map((digits) => digits.length);
  const first = lengths.shift() ?? 0;
  const western = first <= 3 && lengths.every((length) => length === 3);
  // Indian grouping by lakh and crore: 12,34,567.
  const indian = group === ',' && first <= 2 && lengths.pop() === 3 && lengths.every((length) => length === 2);
  if (first === 0 || !(western || indian)) {
    return { problem: `The digits of this amount are not grouped by thousands: ${PLAIN}.` };
  }
  return { whole: whole.replaceAll(group, ''), fraction, group, mark };
}

const lastSign = (body: string): string => /(\D)\d*$/.exec(body)?.[1] ?? '';

function canonical(whole: string, fraction: string): ValueReading {
  const value = fraction === '' ? whole : `${whole}.${fraction}`;
  if (value === '0') return { problem: ABOVE_ZERO };
  if (String(Number(value)) !== value) return { problem: TOO_MANY_DIGITS };
  return { value };
}

function describeChange(given: { currency: string | undefined } & Omit<Split, 'whole' | 'fraction'>) {
  const { currency, group, mark } = given;
  const separators = SEPARATORS_SAID[mark === ',' ? 1 : 0]?.[group === null ? 0 : 1] ?? '';
  if (currency === undefined) return separators === '' ? undefined : `It was written with ${separators}.`;
  const what = separators === '' ? '' : `${separators} and `;
  return `It was written with ${what}the currency ${currency}, which is not sent.`;
}

/**
 * The separators of an amount, for a message: the rows are without and with a decimal comma, the columns without and with separators of
 * thousands.
 */
const SEPARATORS_SAID = [
  ['', 'thousands separators'],
  ['a decimal comma', 'a decimal comma and thousands separators'],
];

function openMessage(body: string, contradiction?: string): string {
  const [whole = '', rest = ''] = body.split(/[.,]/);
  return `This may be ${whole}${rest} or ${whole}.${rest}, and ${tellsNot('amount', contradiction)}: say --decimal comma or --decimal point.`;
}

const DOUBTED = DOUBT.replace('SETTING', '--decimal comma or --decimal point');

const NAMES: Record<string, string> = { '.': 'decimal point', ',': 'decimal comma' };

const ABOVE_ZERO = 'The amount must be above zero.';

/**
 * The problem of an amount that a double cannot carry exactly. It keeps any 15 digits; below 0.000001 and from 1e21 on, its text has an
 * exponent.
 */
export const TOO_MANY_DIGITS =
  'The amount has more digits than a number in the request can carry exactly: write at most 15, and 6 of them after the point.';

const PLAIN = 'write a plain decimal, like 1234.50';

/** The part of a message that says how to write an amount: an example with the column's own decimal separator. */
const likeTheColumn = (decimal: Decimal | null): string => (decimal === ',' ? 'write it like 1234,50' : PLAIN);

/** The messages for texts that are no amount, the most certain first: the first pattern that matches gives the message. */
const MISTAKES: [RegExp, string][] = [
  [/^[-\u2212(]/, ABOVE_ZERO],
  [/^[+]?(nan|inf(inity)?)$/i, `This is not a number: ${PLAIN}.`],
  [/^[+]?[\d.,]+e[+-]?\d+$/i, `The amount has an exponent: write it in full, as ${PLAIN.slice(6)}.`],
  [/^[+]?\d*[.,]\d*$/, `The amount lacks a digit before or after its point: ${PLAIN}.`],
];

const HOLDS_MORE = /[\p{Sc}\p{L}]/u;

function whatIsWrong(text: string, decimal: Decimal | null): string {
  const said =
    MISTAKES.find(([pattern]) => pattern.test(text))?.[1] ??
    unitProblem(text) ??
    (HOLDS_MORE.test(text)
      ? `The amount has letters or signs beside its digits: ${PLAIN}.`
      : `This is not an amount: ${PLAIN}.`);
  return decimal === ',' ? said.replace(/\b(its|a) point\b/, '$1 comma').replace(PLAIN, likeTheColumn(decimal)) : said;
}
