/** Whether two different numbers are one without the zeros before them, which spreadsheet programs remove. */
export function differByZeros(one: string, other: string): boolean {
  return one !== other && NUMBER.test(one) && NUMBER.test(other) && withoutZeros(one) === withoutZeros(other);
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

const NUMBER = /^\d+$/;

const withoutZeros = (number: string): string => number.replace(/^0+/, '');
