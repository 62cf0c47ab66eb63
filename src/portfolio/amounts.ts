import Big from 'big.js';

/** What came of reading a cell: its value in canonical form, or a sentence that says what would be right. */
export type Reading = { value: string } | { problem: string };

/**
 * Reads an amount of money above zero, written as a plain decimal with a point: `1000`, `+1000.50`.
 * The value is canonical, that is without sign, leading zeros and trailing zeros of the fraction, so that equal amounts
 * are equal texts.
 *
 * The service takes the amount as a JSON number (service-api.md, `requested_limit`), which is read as a binary double
 * by most programs (RFC 8259, section 6). So an amount is taken only if it comes back the same from there, digit by
 * digit and without an exponent.
 */
export function parseAmount(text: string): Reading {
  if (text.length > MAX_LENGTH) return { problem: TOO_MANY_DIGITS };
  const match = PLAIN_DECIMAL.exec(text);
  if (!match) return { problem: whatIsWrong(text) };
  const fraction = match[2] ?? '';
  const value = fraction === '' ? (match[1] ?? '') : `${match[1]}.${fraction}`;
  if (value === '0') return { problem: 'The amount must be above zero.' };
  if (String(Number(value)) !== value) return { problem: TOO_MANY_DIGITS };
  return { value };
}

/** The exact sum of two decimal texts, as canonical decimal text. */
export function addAmounts(a: string, b: string): string {
  return new Big(a).plus(b).toFixed();
}

/** Far more than a double can tell apart; it bounds the work that the patterns below do on nonsense. */
const MAX_LENGTH = 64;

/** Sign and leading zeros, whole part, point, fraction, trailing zeros; ASCII digits alone. */
const PLAIN_DECIMAL = /^\+?0*(\d+)(?:\.(?:(\d*[1-9])0*|0+))?$/;

/** 15 digits always survive a double; below 0.000001 and from 1e21 on, its text has an exponent. */
const TOO_MANY_DIGITS =
  'The amount has more digits than a number in the request carries exactly: write at most 15, and 6 of them after the point.';

const PLAIN = 'write a plain decimal, like 1234.50';

/** In the order of certainty: the first that fits is said. */
const MISTAKES: [RegExp, string | ((text: string) => string)][] = [
  [/^[-\u2212(]/, 'The amount must be above zero.'],
  [/^[+]?(nan|inf(inity)?)$/i, `This is not a number: ${PLAIN}.`],
  [/^[+]?[\d.,]+e[+-]?\d+$/i, `The amount has an exponent: write it in full, as ${PLAIN.slice(6)}.`],
  [/^[+]?\d{1,3}(,\d{3})+\.\d+$/, (text) => `The amount has thousands separators: write ${text.replaceAll(',', '')}.`],
  [
    /^[+]?\d{1,3}(\.\d{3})+,\d+$/,
    (text) =>
      `The amount has thousands separators and a decimal comma: write ${text.replaceAll('.', '').replace(',', '.')}.`,
  ],
  [
    /^[+]?\d{1,3}(['’_\s]\d{3})+([.,]\d+)?$/,
    (text) => `The amount has thousands separators: write ${text.replace(/['’_\s]/g, '').replace(',', '.')}.`,
  ],
  [
    /^[+]?\d{1,3}(,\d{3})+$/,
    (text) => `The amount has thousands separators: write ${text.replaceAll(',', '')}${orDecimal(text)}.`,
  ],
  [/^[+]?\d{1,3}(\.\d{3}){2,}$/, (text) => `The amount has thousands separators: write ${text.replaceAll('.', '')}.`],
  [/^[+]?\d+,\d+$/, (text) => `The amount has a decimal comma: write ${text.replace(',', '.')}.`],
  [/^[+]?\d*\.\d*$/, `The amount lacks a digit before or after its point: ${PLAIN}.`],
  [/[\p{Sc}\p{L}]/u, `The amount holds more than digits and a point: ${PLAIN}, without currency.`],
];

function whatIsWrong(text: string): string {
  const said = MISTAKES.find(([pattern]) => pattern.test(text))?.[1] ?? `This is not an amount: ${PLAIN}.`;
  return typeof said === 'string' ? said : said(text);
}

/** `1,000` is a thousand to some and one to others. */
function orDecimal(text: string): string {
  return text.split(',').length === 2 ? `, or ${text.replace(',', '.')} if the comma marks decimals` : '';
}
