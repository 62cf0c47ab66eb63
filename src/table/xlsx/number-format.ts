import Big from 'big.js';
import type { Vocabulary } from '../find-header.ts';
import type { ShownNumber } from '../records.ts';
import { plainNumber } from './cell-xml.ts';

/**
 * How a cell format shows numbers: as dates or not, with a minimum number of digits (leading zeros of a register
 * number), and the word for thousands, usually ''. `sections`: those of the format that show more than the number.
 * `isStruck`: whether a line goes through the cell's text.
 */
export type CellStyle = {
  isDate: boolean;
  leastDigits: number;
  scale: string;
  sections: readonly Section[];
  isStruck?: boolean;
};

/** The built-in formats that show another text than the number: as a share of a hundred, or as a time. */
const BUILT_IN: Record<number, string> = {
  9: '0%',
  10: '0.00%',
  18: 'h:mm',
  19: 'h:mm',
  20: 'h:mm',
  21: 'h:mm',
  45: 'mm:ss',
  46: '[h]:mm:ss',
  47: 'mm:ss',
};

/** A section of a number format, as for large numbers: its condition, what it adds to a number, and its least digits before the point. */
type Section = { code: string; condition: Condition | null; currency: string; says: boolean; zeros: number };
type Condition = { sign: keyof typeof HOLDS; bound: number };

type Words = Pick<Vocabulary, 'saysThousands' | 'namesCurrency'>;

/** The format of a cell without one. */
export const PLAIN_STYLE: CellStyle = { isDate: false, leastDigits: 0, scale: '', sections: [] };

/** A cell format by its number, and the code if the workbook gives one (ECMA-376, part 1, 18.8.30); the caller limits its length. */
export function styleOf(id: number, given: string | undefined, words: Words): CellStyle {
  const code = given ?? BUILT_IN[id] ?? '';
  const isDate = isDateFormat(id, given);
  const scale = shownScale(code, words.saysThousands);
  const sections = isDate || scale !== '' ? [] : sectionsOf(code, words);
  const isPlain = sections.every(({ currency, says, zeros }) => currency === '' && !says && zeros < 2);
  return { isDate, leastDigits: leastDigits(code), scale, sections: isPlain ? [] : sections };
}

/** What a sheet shows of a number besides the number itself; undefined if there is nothing. @param written the cell's content */
export function shownNumber({ sections, leastDigits, scale }: CellStyle, written: string): ShownNumber | undefined {
  if (scale !== '' || (sections.length === 0 && USUAL.test(written))) return undefined;
  const number = plainNumber(written);
  if (!DECIMAL.test(number)) return undefined;
  const value = Number(number);
  const section = sections.find(({ condition }) => !condition || HOLDS[condition.sign](value, condition.bound));
  const currency = section?.currency ? { currency: section.currency } : {};
  const as = (text: string) => `${written.slice(0, MOST_WRITTEN)} (shown as ${text})`;
  if (section?.says) return { ...currency, text: as(rendered(section.code, number)) };
  if (MANY_DIGITS.test(number) || Number(written) !== value)
    return { ...currency, text: as(new Big(number).toExponential().toUpperCase()), isSameAmount: true };
  const lacksZeros = leastDigits === 0 && WHOLE.test(number) && number.length < (section?.zeros ?? 0);
  if (section && lacksZeros) return { ...currency, text: as(rendered(section.code, number)), isSameAmount: true };
  return currency.currency === undefined ? undefined : currency;
}

/** Whether a number format shows dates: by its built-in id, or by day or year in its code. */
export function isDateFormat(id: number, code: string | undefined): boolean {
  if (code === undefined)
    return (id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 36) || (id >= 50 && id <= 58);
  return /[dy]/i.test(code.replace(/"[^"]*"|\\.|\[[^\]]*\]|_.|\*./g, '').replace(/general/gi, ''));
}

/** The minimum number of digits of a format such as `00000` for postal codes; 0 for other formats. */
export function leastDigits(code = ''): number {
  const [first = ''] = code.replace(/\[[^\]]*\]/g, '').split(';', 1);
  return /^0{2,}$/.test(first) ? first.length : 0;
}

/**
 * The word by which a number format shows thousands or millions, such as `T€` in `#,##0 "T€"`; otherwise ''. A format
 * that cuts off thousands, such as `#,##0,`, gives `thousands`: a person sees another number than the cell has.
 *
 * @param code the format (ECMA-376, part 1, 18.8.31); the caller limits its length.
 * @param saysThousands whether a word beside a number says so.
 */
export function shownScale(code = '', saysThousands: (word: string) => boolean): string {
  const [positive = ''] = code.split(';', 1);
  const literals = [...positive.matchAll(LITERAL)].map(
    ([, quoted, escaped, bracketed]) => quoted ?? escaped ?? bracketed,
  );
  const word = literals.join('').trim();
  // Zeros behind a number would read as its own.
  if (saysThousands(word) && /\p{L}/u.test(word)) return word;
  return CUT_OFF.test(withoutLiterals(positive)) ? 'thousands' : '';
}

/** The sections of a format for numbers of zero and more: the first, or, if it has a condition, all of them. */
function sectionsOf(code: string, words: Words): Section[] {
  // An empty first section, as of `;;;`, hides the numbers.
  const codes = code.startsWith(';') ? [''] : [...code.matchAll(SECTION)].slice(0, MOST_SECTIONS).map(([one]) => one);
  const sections = codes.map((one) => sectionOf(one, words));
  return sections[0]?.condition ? sections : sections.slice(0, 1);
}

function sectionOf(code: string, { namesCurrency }: Words): Section {
  const [, sign, bound] = CONDITION.exec(code) ?? [];
  const pieces = piecesOf(code);
  const word = pieces
    .map(({ literal = '' }) => literal)
    .join('')
    .replace(HARMLESS, '');
  const isCurrency = word !== '' && namesCurrency(word);
  return {
    code,
    condition: sign ? { sign: sign as Condition['sign'], bound: Number(bound) } : null,
    currency: pieces.find(({ currency }) => currency)?.currency ?? (isCurrency ? word : ''),
    says: (word !== '' && !isCurrency) || !showsDigits(code),
    zeros: pieces.filter(({ digit }) => digit === '0').length,
  };
}

/** Whether a section shows the number at all. Others show nothing, a text alone, or a time. */
function showsDigits(code: string): boolean {
  return /[0#?@]|General/i.test(withoutLiterals(code));
}

const withoutLiterals = (code: string): string => code.replace(LITERAL, '').replace(/\[[^\]]*\]/g, '');

/** A piece of a format: a place for a digit before the point, a literal text, or a currency. */
type Piece = { digit?: string; literal?: string; currency?: string };

function piecesOf(code: string): Piece[] {
  let isBehindPoint = false;
  return [...code.matchAll(PIECE)].map(([, quoted, escaped, currency, digit, point, other]): Piece => {
    const isDigit = digit !== undefined && !isBehindPoint;
    isBehindPoint ||= point !== undefined;
    if (isDigit) return { digit };
    if (currency) return { currency };
    return { literal: quoted ?? escaped ?? other ?? '' };
  });
}

/** A number as the format `code` shows it, for a message: without separators of thousands, and with all of its decimals. */
function rendered(code: string, number: string): string {
  if (!showsDigits(code) && /[hms]/i.test(withoutLiterals(code))) return 'a time';
  const pieces = piecesOf(code);
  // A percent sign as literal text does not multiply.
  const isPercent = code.replace(LITERAL, '').includes('%');
  const [whole = '', decimals] = (isPercent ? new Big(number).times(100).toFixed() : number).split('.');
  const first = pieces.findIndex(({ digit }) => digit);
  const last = pieces.findLastIndex(({ digit }) => digit);
  let left = whole;
  let text = '';
  for (const [at, { digit, literal, currency }] of [...pieces.entries()].reverse()) {
    if (at === last && decimals) text = `.${decimals}${text}`;
    if (digit) {
      const placed = at === first ? left.length : 1;
      text = (left.slice(-placed) || (digit === '0' ? '0' : '')) + text;
      left = left.slice(0, -placed);
    } else text = (literal ?? currency ?? '') + text;
  }
  return text.trim() || 'nothing';
}

const HOLDS = {
  '<': (value: number, bound: number) => value < bound,
  '<=': (value: number, bound: number) => value <= bound,
  '>': (value: number, bound: number) => value > bound,
  '>=': (value: number, bound: number) => value >= bound,
  '=': (value: number, bound: number) => value === bound,
  '<>': (value: number, bound: number) => value !== bound,
};

/** Most sections of a format: positive and negative numbers, zero, and text. */
const MOST_SECTIONS = 4;

/** Most characters of a cell's number in a message: more than a double has. */
const MOST_WRITTEN = 30;

/** A number whose text has at most 15 digits, and so loses none. */
const USUAL = /^[\d.-]{1,15}$/;
const DECIMAL = /^\d+(?:\.\d+)?$/;
const WHOLE = /^\d+$/;
const MANY_DIGITS = /^\d{16}/;

const SECTION = /(?:"[^"]*"?|\\.|[^;"])+/gu;
const CONDITION = /\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]/;

/**
 * Pieces of a section: literal text, a currency such as `[$€-407]`, a place for a digit, the point or an exponent, and anything else. Widths
 * and fillings (`_)`, `* `), colours, separators of thousands, fractions, and the dash for no cents (`.--`) show nothing else.
 */
const PIECE =
  /"([^"]*)"?|\\(.)|\[\$([^\]-]*)[^\]]*\]|[_*].|\[[^\]]*\]|[.,][-–—]{1,2}|(General|[0#?@])|(\.|E[+-])|[,/]|(.)/giu;

/** Literal text that means nothing beside an amount: blanks, an apostrophe between thousands, a plus, a dash for no cents, marks of direction. */
const HARMLESS = /[.,][-–—]{1,2}|[\s'’+\p{Cf}]/gu;

/** Literal text in a format: `"T€"`, `\k`, and the sign of `[$€-407]`. */
const LITERAL = /"([^"]*)"|\\(.)|\[\$([^\]-]*)[^\]]*\]/g;

/** A comma after the last digit of a number format, by which the shown number is divided by a thousand. */
const CUT_OFF = /[0#?],+(?![0#?,])/;
