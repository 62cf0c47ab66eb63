import { counted, grouped } from '../../counted.ts';
import { type AttributePart, readTemplate, type TemplatePart } from './read-template.ts';
import { type Catalogue, translateTemplate } from './translate-template.ts';

/** Markup made by {@link html}; no other object counts as markup. */
export type Html = { readonly markup: string; toString: () => string };

/** A value that a template may contain (`${…}`). `null`, `undefined`, `false` and `true` show nothing. */
export type HtmlValue = Html | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

/** All markup that `html` made: an object from JSON with the same fields is not in it. */
const made = new WeakSet<object>();

const templates = new WeakMap<TemplateStringsArray, TemplatePart[]>();

/**
 * A piece of a page, in which all values are escaped. A value stands in a hole of the template, a `${…}`.
 *
 * - In text: texts and numbers are escaped, {@link Html} stays, arrays are joined.
 * - In the value of an attribute, which needs quotation marks: escaped, arrays are joined by spaces, as in `class`.
 *   A value that is only one hole: `false`, `null` and `undefined` omit the attribute, and `true` gives it without a value
 *   (`disabled="${isPaused}"`).
 * - In `href`, `src`, `action` and the like: the whole value must be a path, `http`, `https` or `mailto`. Otherwise it becomes
 *   `about:invalid`, so that no data can be a `javascript:` address.
 *
 * Its texts are those of the language of the pages; values stay as they are.
 * Each template is parsed once. A hole with any other meaning is refused at its first use, see {@link readTemplate}.
 *
 * @throws TypeError for such a template, and for a value that is no {@link HtmlValue}
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let parts = templates.get(strings);
  if (!parts) {
    const lookUp = language();
    parts = lookUp ? readTemplate(...translateTemplate(strings, lookUp)) : readTemplate(strings);
    templates.set(strings, parts);
  }
  let markup = '';
  for (const part of parts) {
    if (typeof part === 'string') markup += part;
    else if ('attribute' in part) markup += attributeOf(part, values);
    else if ('text' in part) markup += markupOf(values[part.text]);
    else markup += escapeHtml(textOf(values[part.plainText], ''));
  }
  return make(markup);
}

export const NOTHING: Html = make('');

export function isHtml(value: unknown): value is Html {
  return typeof value === 'object' && value !== null && made.has(value);
}

function make(markup: string): Html {
  const piece = Object.freeze({ markup, toString: () => markup });
  made.add(piece);
  return piece;
}

function markupOf(value: HtmlValue): string {
  if (typeof value === 'string') return escapeHtml(value);
  if (isHtml(value)) return value.markup;
  if (Array.isArray(value)) return value.map(markupOf).join('');
  return textOf(value as HtmlValue, '');
}

function attributeOf({ attribute, pieces }: AttributePart, values: readonly HtmlValue[]): string {
  const [first] = pieces;
  if (pieces.length === 1 && typeof first === 'number') {
    const value = values[first];
    if (value === undefined || value === null || value === false) return '';
    if (value === true) return ` ${attribute}=""`;
  }
  const text = pieces.map((piece) => (typeof piece === 'number' ? textOf(values[piece], ' ') : piece)).join('');
  const escaped = pieces.map((piece) => (typeof piece === 'number' ? escapeHtml(textOf(values[piece], ' ')) : piece));
  if (ADDRESSES.has(attribute.toLowerCase()) && !safeAddress(text)) return ` ${attribute}="about:invalid"`;
  return ` ${attribute}="${escaped.join('').replaceAll('"', '&quot;')}"`;
}

/** Attributes whose value a browser loads, follows or runs. */
const ADDRESSES = new Set(['href', 'xlink:href', 'src', 'action', 'formaction', 'poster', 'data', 'cite', 'ping']);

function textOf(value: HtmlValue, between: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  if (value === undefined || value === null || typeof value === 'boolean') return '';
  if (Array.isArray(value)) {
    return value
      .map((one: HtmlValue) => textOf(one, between))
      .filter((text) => text !== '' || between === '')
      .join(between);
  }
  throw new TypeError(`A template was given ${isHtml(value) ? 'markup' : 'an object'} where a text or number belongs.`);
}

/** Escapes a text for markup or a quoted attribute. NUL, which HTML forbids, is replaced. */
export function escapeHtml(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds this control character
const SPECIAL = /[&<>"'\u0000]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\u0000': '\uFFFD',
};

/** Characters that browsers drop: with them, `java\nscript:` or `/\t/elsewhere` would pass the check and mean something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const DROPPED = /[\u0000-\u001F\u007F]|^\s|\\/;

/** A path of this server, a query or fragment, an empty text, or an address with http, https or mailto. */
const SAFE = /^(?:\/(?!\/)|[?#]|https?:\/\/[^/]|mailto:|$)/i;

/** Whether an address may be put into a page: it runs nothing in the browser. */
export function safeAddress(address: string): boolean {
  return !DROPPED.test(address) && SAFE.test(address);
}

let catalogue: Catalogue | undefined;
let isRead = false;

/**
 * Sets the language of all pages of this process. Call this before the console is imported, since its modules translate their
 * constants when they are imported.
 *
 * @throws Error where a text was already read
 */
export function speak(language: Catalogue): void {
  if (isRead)
    throw new Error('A text was read before its language was set: call speak before the console is imported.');
  catalogue = language;
}

/** A text of a page in its language. The English text is the key, with `{0}`, `{1}` for its values: t`Line ${line} of ${file}`. */
export function t(strings: TemplateStringsArray, ...values: readonly unknown[]): string {
  if (language()) return filled(messageWithPlaces(strings), values);
  // English texts are joined here, since `String.raw` takes seven times as long and every page has many texts.
  let text = strings[0] ?? '';
  for (let place = 0; place < values.length; place += 1) text += `${values[place]}${strings[place + 1]}`;
  return text;
}

/** A count with its noun in the language of the pages: `1 row`, `3 rows`. The catalogue has the messages `{0} row` and `{0} rows`. */
export function countWords(count: number, one: string, many = `${one}s`): string {
  return language() ? filled(`{0} ${count === 1 ? one : many}`, [grouped(count)]) : counted(count, one, many);
}

/** A word in the language of the pages, for words that other parts than the console define, such as the names of outcomes. */
export function translated(message: string): string {
  return language()?.(message) ?? message;
}

/** The key of a text in the catalogue: its pieces with `{0}`, `{1}` in the places of the values between them. */
export function messageWithPlaces(pieces: readonly string[]): string {
  return pieces.reduce((before, after, place) => `${before}{${place - 1}}${after}`);
}

/** The language of the pages; undefined for English. */
export function language(): Catalogue | undefined {
  isRead = true;
  return catalogue;
}

function filled(message: string, values: readonly unknown[]): string {
  const words = language()?.(message) ?? message;
  return words.replace(PLACE, (place, number) => String(values[number] ?? place));
}

const PLACE = /\{(\d+)\}/g;
