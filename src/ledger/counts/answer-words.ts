import { normal } from '../../likeness.ts';
import { isWebPage } from '../../web-page.ts';
import type { RowRequest } from '../schema/row.ts';

/**
 * The readable words of a response body, on one line, each once: of JSON its code and messages in a fixed order, of a web page its title,
 * of anything else the text.
 */
export function answerWords(body: string): string {
  const text = body.replace(/^\ufeff/, '').trim();
  if (isWebPage(text)) return titleOf(text);
  const json = parsed(text);
  if (json === undefined) return oneLine(MAYBE_CUT.test(text) ? unescaped(text) : withoutEntities(text));
  const said = [...new Set(spoken(json).map(oneLine).filter(Boolean))];
  return said.length > 0 ? said.join(': ') : oneLine(leaves(json).join(', '));
}

/** Matches the beginning of a text that is probably JSON, and unreadable since bodies are cut at a certain length. */
const MAYBE_CUT = /^[{["]/;

/** Fields in which services put an error's code and words; the first present one counts. */
const CODES = ['code', 'error_code', 'errorcode', 'type', 'error'];
const WORDS = ['message', 'error_description', 'description', 'detail', 'title', 'reason', 'msg', 'text'];
const WITHIN = ['error', 'errors', 'details', 'detail', 'violations', 'causes', 'fault', 'data'];
/** Fields that name the field of the request in error. */
const PLACES = ['field', 'param', 'parameter', 'property', 'path', 'pointer', 'name'];

/** The deepest level of nested objects at which an error's texts are read. Services nest errors less deeply; the limit protects the stack. */
const DEEPEST = 6;
/** The most texts that are taken from one error. A person reads no more. */
const MOST_TEXTS = 12;

/** The texts of an error: its code, its words, and those of its parts. */
function spoken(json: unknown, depth = 0): string[] {
  if (depth > DEEPEST) return [];
  if (typeof json === 'string') return [json];
  if (Array.isArray(json)) return json.slice(0, MOST_TEXTS).flatMap((each) => spoken(each, depth + 1));
  if (json === null || typeof json !== 'object') return [];
  const fields = byName(json);
  const code = firstOf(fields, CODES);
  const words = firstOf(fields, WORDS);
  const within = WITHIN.flatMap((name) => {
    const value = fields.get(name);
    return value !== null && typeof value === 'object' ? errorsIn(value, depth + 1) : [];
  });
  const said = [code === undefined ? undefined : codeWords(code), words, ...within].filter(
    (each) => each !== undefined,
  );
  const place = said.length > 0 ? firstOf(fields, PLACES) : undefined;
  return (place === undefined ? said : [place, ...said]).slice(0, MOST_TEXTS);
}

/** The texts of errors: of `{ "name": ["must not be empty"] }` with the field's name in front. */
function errorsIn(value: object, depth: number): string[] {
  const said = spoken(value, depth);
  if (said.length > 0 || Array.isArray(value)) return said;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST_TEXTS)
    .flatMap(([name, each]) => {
      const words = spoken(each, depth + 1);
      return words.length > 0 ? [`${name} ${words.join(' ')}`] : [];
    });
}

function byName(json: object): Map<string, unknown> {
  return new Map(Object.entries(json).map(([name, value]) => [name.toLowerCase(), value]));
}

function firstOf(fields: ReadonlyMap<string, unknown>, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (typeof value === 'string' && value.trim() !== '') return value;
    if (typeof value === 'number') return String(value);
  }
  return undefined;
}

/** The words of an error's code. A numeric code gets the word `code` in front, so that {@link rowlessWords} keeps it. */
const codeWords = (code: string): string => (/^\d+$/.test(code) ? `code ${code}` : code);

/** The values of JSON that has none of the usual fields: each with its name, sorted by name. */
function leaves(json: unknown, name = '', depth = 0): string[] {
  if (depth > DEEPEST) return [];
  if (json === null || typeof json !== 'object') return [name === '' ? String(json) : `${name}: ${String(json)}`];
  return Object.entries(json)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, MOST_TEXTS)
    .flatMap(([key, value]) => leaves(value, Array.isArray(json) ? name : key, depth + 1));
}

function parsed(text: string): unknown {
  if (!/^[[{"\d]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function titleOf(page: string): string {
  const title = oneLine(withoutEntities(/<title[^>]*>([\s\S]{0,2000}?)<\/title/i.exec(page)?.[1] ?? ''));
  return title === '' ? 'a web page' : `a web page: ${title}`;
}

/** Decodes JSON's escapes. */
function unescaped(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(["\\/])/g, '$1');
}

/** Decodes HTML's character references. */
function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(amp|lt|gt|quot|apos|nbsp));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Puts a text on one line. Control characters, including those that change the direction of text, become spaces. */
function oneLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
}

/** Stands in a text for what {@link rowlessWords} took out. */
export const LEFT_OUT = '…';

/**
 * Takes out of a text what differs from row to row: values of the row's own request, as whole words in any case and spacing; its amount in
 * any notation; e-mail addresses, UUIDs, ids such as `company_…`, times, and runs of five or more digits.
 *
 * A run of five to eight digits stays if it is an error code: behind a word for it (`code 10234`, `error: 10234`), or, up to six digits,
 * directly behind capital letters (`E10234`, `ORA-01017`).
 *
 * All patterns are searched in one pass, since one could match a part of another's match. The leftmost match wins; at one position the
 * row's own values win, the longest first.
 */
export function rowlessWords(text: string, request: RowRequest): string {
  const oneLine = normal(text).replace(/\s+/g, ' ');
  const values = valuesOf(request).filter(thoseIn(oneLine));
  const own = new RegExp([...valuePatterns(values), ...amountPatterns(request)].join('|') || NOTHING, 'gu');
  // Two removed parts side by side become one.
  return without(oneLine, own)
    .replace(/…(?:[\s,;/|-]*…)+/g, LEFT_OUT)
    .trim();
}

const NOTHING = '(?!)';

/** A quick test whether a text can contain a value in any form; ten times as fast as the exact search. */
function thoseIn(text: string): (value: string) => boolean {
  const within = signsOf(text);
  return (value) => within.includes(signsOf(value)) || text.includes('%');
}

function signsOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replace(/[^\p{L}\p{N}]+/gu, '');
}

/** The text without matches of the row's own values and of the general patterns. */
function without(text: string, own: RegExp): string {
  let left = '';
  let at = 0;
  for (;;) {
    const value = nextOf(own, text, at);
    const any = nextOf(generalPattern(), text, at);
    const found = value && (!any || value.index <= any.index) ? value : any;
    if (!found) return left + text.slice(at);
    left += text.slice(at, found.index) + (found.groups?.keep ?? LEFT_OUT);
    at = found.index + found[0].length;
  }
}

function nextOf(pattern: RegExp, text: string, from: number): RegExpExecArray | null {
  pattern.lastIndex = from;
  return pattern.exec(text);
}

const LETTER = String.raw`[\p{L}\p{N}]`;
const BEGINS = `(?<!${LETTER})`;
const ENDS = `(?!${LETTER})`;

const CODE_WORDS = inAnyCase('code|error|err|errno|fault|status');

/** The pattern for all of {@link GENERAL}. It is made when first used, since that takes 40 ms, and every command imports this file. */
let general: RegExp | undefined;

function generalPattern(): RegExp {
  general ??= new RegExp(GENERAL.join('|'), 'gu');
  return general;
}

const GENERAL = [
  String.raw`[\p{L}\p{N}.!#$%&'*+/=?^_{|}~-]{1,64}@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+`,
  `${BEGINS}[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}${ENDS}`,
  // Times of ISO 8601 and of HTTP, dates, and times of day.
  String.raw`${BEGINS}\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?${ENDS}`,
  String.raw`${BEGINS}(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d(?: GMT)?`,
  String.raw`${BEGINS}\d\d?[./]\d\d?[./]\d{4}${ENDS}`,
  String.raw`${BEGINS}\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|${ENDS})`,
  // Our names for calls, and ids of services: small letters, an underscore, and a part with a digit.
  String.raw`${BEGINS}limitline-[\w-]+(?:/\d+)?`,
  String.raw`${BEGINS}[a-z]{1,12}_(?=[A-Za-z]*\d)[A-Za-z0-9]{6,}${ENDS}`,
  String.raw`${BEGINS}(?=[0-9a-fA-F]*[a-fA-F])(?=[0-9a-fA-F]*\d)[0-9a-fA-F]{16,}${ENDS}`,
  // Matches error codes, in the group `keep`: they stay in the text.
  String.raw`(?<keep>${BEGINS}(?:(?:${CODE_WORDS})(?: (?:${inAnyCase(String.raw`no\.?|number|code`)}))?\s?[:=#]?\s?["']?\d{5,8}|[A-Z][A-Z_]{0,9}-?\d{5,6})${ENDS})`,
  String.raw`\d{5,}`,
];

/** The values of a request, each once, the longest first: documents by name and digest, ids only if the line gave them. */
function valuesOf({ name, buyer, company, companyId, limit, documents }: RowRequest): string[] {
  const { requested_limit: _amount, ...rest } = limit;
  const values = [name, buyer, companyId ?? '', ...documents.flatMap((each) => [each.name, each.sha256])];
  for (const value of [...textsIn(company), ...textsIn(rest)]) values.push(value);
  const inOneForm = values.map((value) => value.normalize('NFC').replace(/\s+/gu, ' ').trim());
  // A single character would match everywhere.
  const worth = inOneForm.filter((value) => [...value].length >= 2 && /[\p{L}\p{N}]/u.test(value));
  return [...new Set(worth)].sort((a, b) => b.length - a.length);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Patterns of values as whole words, in any case. Values of up to three characters keep their case, since they could be words (`IN`,
 * `AND`). Values with digits also match with other separators (`HRB 1234`, `HRB-1234`, `HRB1234`), and all match in URL encoding.
 */
function valuePatterns(values: readonly string[]): string[] {
  const [short, long] = [values.filter(isShort), values.filter((value) => !isShort(value))];
  const either = [...long.flatMap(formsOf).map(inAnyCase), ...short.map(escaped)];
  return either.length > 0 ? [`${WORD_BEGINS}(?:${either.join('|')})${WORD_ENDS}`] : [];
}

const isShort = (value: string): boolean => value.length <= 3;

// Letters of scripts that separate words by spaces. All letters of Unicode would cost a millisecond a row.
const SIGN = String.raw`[0-9A-Za-z\u00c0-\u024f\u0370-\u052f]`;
const WORD_BEGINS = `(?<!${SIGN}(?=${SIGN}))`;
const WORD_ENDS = `(?!(?<=${SIGN})${SIGN})`;

function formsOf(value: string): string[] {
  const forms = [escaped(value)];
  // `Straße` in capitals is `STRASSE`. Ignoring case is not enough to match that, so it is a form of its own.
  const capitals = value.toUpperCase();
  if (capitals.length !== value.length) forms.push(escaped(capitals));
  const signs = value.replace(/[^\p{L}\p{N}]+/gu, '');
  if (signs.length >= 4 && signs.length <= MOST_SIGNS && /\d/.test(value)) forms.push([...signs].join('[ ./-]?'));
  if (value.isWellFormed() && encodeURIComponent(value) !== value) forms.push(escaped(encodeURIComponent(value)));
  return forms;
}

/** The most characters of a value that is also found with other separators: numbers of registers and the like are not longer. */
const MOST_SIGNS = 24;

/**
 * A pattern whose letters match in either case; no letter may follow a backslash. It does not use `(?i:…)`: V8 sometimes skips its
 * optimisation of a pattern, and then fails to match that, which split one cause into two.
 */
function inAnyCase(pattern: string): string {
  return pattern.replace(/\p{L}/gu, (letter) => {
    if ('Σσς'.includes(letter)) return '[Σσς]';
    const [small, capital] = [letter.toLowerCase(), letter.toUpperCase()];
    return [...small].length === 1 && [...capital].length === 1 && small !== capital ? `[${small}${capital}]` : letter;
  });
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);

/** Patterns of the amount in any notation, such as 1250.5, 1,250.50, 1.250,50 and 1 250,50. No part of another number matches. */
function amountPatterns({ limit }: RowRequest): string[] {
  const [, whole, decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(limit.requested_limit) ?? [];
  if (whole === undefined) return [];
  const groups = whole.replace(/\B(?=(?:\d{3})+$)/g, String.raw`[,.'’\s]?`);
  const rest = decimals === '' ? '(?:[.,]0{1,4})?' : `[.,]${decimals}0*`;
  return [String.raw`(?<!\d|\d[.,])${groups}${rest}(?![.,]?\d)`];
}
