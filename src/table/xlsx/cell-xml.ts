import Big from 'big.js';
import { cutText } from '../../cut-text.ts';
import { DAY_MS } from '../../time-units.ts';
import { STYLES } from './book-parts.ts';

/**
 * A cell's type. A count is a whole number, an amount canonical decimal text, a day YYYY-MM-DD, a moment an ISO 8601
 * time in UTC. A cell with another form becomes text.
 */
export type CellKind = 'text' | 'header' | 'count' | 'amount' | 'day' | 'moment';

/** The XML of a cell; '' for an empty one. @param at its name, such as `B7`. */
export function cellXml(at: string, text: string, kind: CellKind): string {
  if (text === '') return '';
  const number = numberOf(text, kind);
  if (number !== null) return `<c r="${at}" s="${STYLES[kind]}"><v>${number}</v></c>`;
  const style = kind === 'header' ? ` s="${STYLES.header}"` : '';
  return `<c r="${at}"${style} t="inlineStr"><is><t xml:space="preserve">${escaped(escapedAsText(cutText(text, LONGEST)))}</t></is></c>`;
}

/** Escapes XML. Characters that XML 1.0 forbids become U+FFFD: cells of broken lines may have them. */
export function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>\r]/g, (one) => ESCAPES[one] ?? one);
}

/** A number as plain decimal text, with the 15 digits that Excel shows of a double. Equal numbers are equal texts, however they are written. */
export function plainNumber(written: string): string {
  // Infinite numbers and texts that are none, such as 0x10, stay as written: 1E999999 would be a million zeros.
  if (!NUMBER.test(written) || !Number.isFinite(Number(written))) return written;
  const text = SHORT.test(written) ? written : new Big(written).prec(SHOWN_DIGITS).toFixed();
  // The type proves that the point is a decimal one. As text, 1.234 could be a thousand.
  return OPEN.test(text) ? `${text}0` : text;
}

/** Adds leading zeros up to `digits`, as a cell's format shows them. Fractions and negative numbers stay as they are. */
export function withZeros(text: string, digits: number): string {
  return /^\d+$/.test(text) ? text.padStart(digits, '0') : text;
}

/** The number of digits that Excel shows of a number at most. */
const SHOWN_DIGITS = 15;

/** A number in the text that it is read as. Other texts of the same number, such as `4711.0` and `4.711E3`, become that text. */
const SHORT = /^-?(?=[\d.]{1,15}$)(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;
const NUMBER = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/i;
const OPEN = /^-?[1-9]\d{0,2}\.\d{3}$/;

/**
 * The date of a serial number (ECMA-376, part 1, 18.17.4.1), with the time unless it is midnight: YYYY-MM-DD or YYYY-MM-DDThh:mm:ss. A number
 * beyond the year 9999 stays as written: spreadsheets have no such date.
 */
export function dateOfSerial(written: string, { from1904 }: { from1904: boolean }): string {
  const serial = Number(written) + (from1904 ? DAYS_TO_1904 : 0);
  // Excel's calendar has 29 February 1900, which did not exist.
  const days = serial < 61 ? serial + 1 : serial;
  const seconds = Math.round(days * 86_400);
  const date = new Date(Date.UTC(1899, 11, 30) + seconds * 1_000);
  if (!(date.getTime() < END_OF_DATES)) return written;
  const iso = date.toISOString();
  return seconds % 86_400 === 0 ? iso.slice(0, 10) : iso.slice(0, 19);
}

const END_OF_DATES = Date.UTC(10_000, 0);

/** The serial number of an ISO 8601 date or UTC time, in the 1900 calendar; null for dates before March 1900. */
export function serialOf(iso: string): number | null {
  const days = (Date.parse(iso) - Date.UTC(1899, 11, 30)) / DAY_MS;
  // Numbers below 61 are shifted by Excel's false 29 February 1900; no financial statements are so old. 8 decimals give milliseconds.
  return days >= 61 ? Number(days.toFixed(8)) : null;
}

/** A cell's name in Excel: column 2 in row 7 is `C7`. */
export function cellName(column: number, line: number): string {
  return `${columnLetters(column)}${line}`;
}

/** The column of a cell by its name: `C7` is in column 2. The name is not checked: `XFE1` gives a column that no sheet has, `c7` a wrong one. */
export function columnOf(name: string): number {
  let column = 0;
  for (const letter of name.slice(0, LONGEST_NAME).replace(/\d+$/, '')) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}

/** Resolves a workbook's escapes for characters that XML forbids: `_x000D_` (ECMA-376, part 1, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(ESCAPE, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Escapes what looks like an escape in a text, so that a reader of the workbook gets the same text. */
export function escapedAsText(text: string): string {
  return text.includes('_x') ? text.replace(ESCAPE, '_x005F$&') : text;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
const SPECIAL = /[&<>\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters.
const FORBIDDEN = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

function numberOf(text: string, kind: CellKind): string | number | null {
  if (kind === 'amount') return AMOUNT.test(text) && text.replace(NO_DIGIT, '').length <= DIGITS ? text : null;
  if (kind === 'count') return COUNT.test(text) ? text : null;
  if (kind === 'day') return DAY.test(text) ? serialOf(text) : null;
  if (kind === 'moment') return MOMENT.test(text) ? serialOf(text) : null;
  return null;
}

/** Most digits of an amount that becomes a number in Excel, which stores doubles. More digits would change, so such an amount stays text. */
const DIGITS = 15;
const AMOUNT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const COUNT = /^(?:0|[1-9]\d{0,14})$/;
const NO_DIGIT = /^[-0.]+|[.]/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Most characters of a cell's text, in UTF-16 units: Excel's limit. Excel would have to repair a workbook with a longer text. */
const LONGEST = 32_767;

const DAYS_TO_1904 = 1_462;

/** Most characters of a cell's name: more than `XFD1048576` has. A longer text is no name, and is not read further. */
const LONGEST_NAME = 16;

/** A, B … Z, AA … XFD: the letters of a column by its index, from 0. */
function columnLetters(at: number): string {
  const known = letters[at];
  if (known !== undefined) return known;
  const last = String.fromCharCode(65 + (at % 26));
  const made = at < 26 ? last : columnLetters(Math.floor(at / 26) - 1) + last;
  letters[at] = made;
  return made;
}

/** The letters of columns by index. They are cached, since a sheet has few columns and many cells. */
const letters: string[] = [];

const ESCAPE = /_x([0-9A-Fa-f]{4})_/g;
