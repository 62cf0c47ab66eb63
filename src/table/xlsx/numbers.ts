import Big from 'big.js';

/** A number of the file as plain decimal text, with the 15 digits that Excel shows of the double which it keeps. */
export function plainNumber(written: string): string {
  // What is no double stays as it is written, for the line to say so: 1E999999 written out would be a million zeros.
  if (!Number.isFinite(Number(written))) return written;
  const text = SHORT.test(written) ? written : new Big(written).prec(DIGITS).toFixed();
  // The type says that its point marks decimals; as bare text, 1.234 could be a thousand.
  return OPEN.test(text) ? `${text}0` : text;
}

/** The number with the leading zeros that its format shows; a fraction or a negative number as it is. */
export function withZeros(text: string, digits: number): string {
  return /^\d+$/.test(text) ? text.padStart(digits, '0') : text;
}

/** What Excel shows of a double at most. */
const DIGITS = 15;
const SHORT = /^-?(?=[\d.]{1,15}$)\d+(\.\d+)?$/;
const OPEN = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * The day, and the time of it if it is not midnight, of a serial number (ECMA-376, part 1, 18.17.4.1): YYYY-MM-DD or
 * YYYY-MM-DDThh:mm:ss.
 */
export function dateOfSerial(written: string, { from1904 }: { from1904: boolean }): string {
  const serial = Number(written) + (from1904 ? DAYS_TO_1904 : 0);
  // The calendar of 1900 has a 29 February that there never was.
  const days = serial < 61 ? serial + 1 : serial;
  const seconds = Math.round(days * 86_400);
  const date = new Date(Date.UTC(1899, 11, 30) + seconds * 1_000);
  if (Number.isNaN(date.getTime())) return written;
  const iso = date.toISOString();
  return seconds % 86_400 === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The serial number of a day or a moment, ISO 8601 in UTC, in the calendar of 1900; null for one before it. */
export function serialOf(iso: string): number | null {
  const days = (Date.parse(iso) - Date.UTC(1899, 11, 30)) / 86_400_000;
  // Below 61 is the 29 February that there never was; no statements are as old. Days to the millisecond: 8 decimals.
  return days >= 61 ? Number(days.toFixed(8)) : null;
}

const DAYS_TO_1904 = 1_462;
