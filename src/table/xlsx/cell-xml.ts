import { STYLES } from './book-parts.ts';
import { escapedAsText } from './escapes.ts';
import { serialOf } from './numbers.ts';

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
  return `<c r="${at}"${style} t="inlineStr"><is><t xml:space="preserve">${escaped(escapedAsText(shortened(text)))}</t></is></c>`;
}

/** Escapes XML. Characters that XML 1.0 forbids become U+FFFD: cells of broken lines may have them. */
export function escaped(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text
    .toWellFormed()
    .replace(FORBIDDEN, '\ufffd')
    .replace(/[&<>\r]/g, (one) => ESCAPES[one] ?? one);
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

/** Excel stores doubles. An amount with more digits would change, so it stays text. */
const DIGITS = 15;
const AMOUNT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const COUNT = /^(?:0|[1-9]\d{0,14})$/;
const NO_DIGIT = /^[-0.]+|[.]/g;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** Excel's limit, in UTF-16 units. Excel would have to repair a workbook with a longer text. */
const LONGEST = 32_767;

function shortened(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
}
