import Big from 'big.js';

/** A number as plain decimal text, with the 15 digits that Excel shows of a double. */
export function plainNumber(written: string): string {
  // Infinite numbers stay as written, and become a problem of the line: 1E999999 would be a million zeros.
  if (!Number.isFinite(Number(written))) return written;
  const text = SHORT.test(written) ? written : new Big(written).prec(DIGITS).toFixed();
  // The type proves that the point is a decimal one. As text, 1.234 could be a thousand.
  return OPEN.test(text) ? `${text}0` : text;
}

/** Adds the leading zeros of a format. Fractions and negative numbers stay. */
export function withZeros(text: string, digits: number): string {
  return /^\d+$/.test(text) ? text.padStart(digits, '0') : text;
}

/** The largest number of digits that Excel shows. */
const DIGITS = 15;
const SHORT = /^-?(?=[\d.]{1,15}$)\d+(\.\d+)?$/;
const OPEN = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * The date of a serial number (ECMA-376, part 1, 18.17.4.1), with the time unless it is midnight: YYYY-MM-DD or
 * YYYY-MM-DDThh:mm:ss.
 */
export function dateOfSerial(written: string, { from1904 }: { from1904: boolean }): string {
  const serial = Number(written) + (from1904 ? DAYS_TO_1904 : 0);
  // Excel's calendar has 29 February 1900, which did not exist.
  const days = serial < 61 ? serial + 1 : serial;
  const seconds = Math.round(days * 86_400);
  const date = new Date(Date.UTC(1899, 11, 30) + seconds * 1_000);
  if (Number.isNaN(date.getTime())) return written;
  const iso = date.toISOString();
  return seconds % 86_400 === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

/** The serial number of an ISO 8601 date or UTC time, in the 1900 calendar; null for dates before March 1900. */
export function serialOf(iso: string): number | null {
  const days = (Date.parse(iso) - Date.UTC(1899, 11, 30)) / 86_400_000;
  // Below 61 is the false 29 February; no statements are so old. 8 decimals are exact to the millisecond.
  return days >= 61 ? Number(days.toFixed(8)) : null;
}

const DAYS_TO_1904 = 1_462;
