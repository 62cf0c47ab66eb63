/** Whether two different numbers are one without the zeros before them, which spreadsheet programs remove. */
export function differByZeros(one: string, other: string): boolean {
  return one !== other && NUMBER.test(one) && NUMBER.test(other) && withoutZeros(one) === withoutZeros(other);
}

/**
 * Whether two numbers may be one that was written in two ways: with and without the letters of a register, a court, a country, or the digits
 * of a branch.
 */
export function mayBeOneNumber(one: string, other: string): boolean {
  const [short = '', long = ''] = [digitsOf(one), digitsOf(other)].sort((a, b) => a.length - b.length);
  if (short === '') return false;
  return long === short || (short.length >= TELLING_DIGITS && (long.startsWith(short) || long.endsWith(short)));
}

/** The forms of a number with fewer or more zeros before it, up to {@link MOST_DIGITS} digits; none for other texts. */
export function formsWithZeros(text: string): string[] {
  const number = NUMBER.test(text) ? withoutZeros(text) : '';
  if (number === '') return [];
  const forms = Array.from({ length: MOST_DIGITS }, (_none, at) => number.padStart(at + 1, '0'));
  return [...new Set(forms)].filter((form) => form !== text);
}

/** Most digits of a number with zeros before it: the longest that systems fill up, such as SAP's, have 20 or fewer. */
const MOST_DIGITS = 20;

/** So many digits tell a company apart where others stand before or behind them: a SIREN in a SIRET, or in a VAT number, has 9. */
const TELLING_DIGITS = 8;

/** The digits of a number, without zeros before them and without the `.0` of a spreadsheet. */
const digitsOf = (number: string): string =>
  withoutZeros(number.normalize('NFKC').replace(/\.0$/, '').replace(/\D+/g, ''));

const NUMBER = /^\d+$/;

const withoutZeros = (number: string): string => number.replace(/^0+/, '');
