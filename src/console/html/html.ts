import { type AttributePart, readTemplate, type TemplatePart } from './read-template.ts';

/** Markup that {@link html} made, and nothing else did: what came from elsewhere cannot have its looks. */
export type Html = { readonly markup: string; toString: () => string };

/** What may stand in a hole. Nothing is shown for `null`, `undefined`, `false` and `true`. */
export type HtmlValue = Html | string | number | bigint | boolean | null | undefined | readonly HtmlValue[];

/** Markup is known by who made it, not by its form: an object out of JSON is none. */
const made = new WeakSet<object>();

const templates = new WeakMap<TemplateStringsArray, TemplatePart[]>();

/**
 * A piece of a page, in which everything put in is escaped.
 *
 * - In text: texts and numbers escaped, {@link Html} as it is, arrays one after the other.
 * - In an attribute's value, which needs its quotation marks: escaped; arrays are joined by spaces, as `class` wants it.
 *   A value that is one hole and nothing else: `false`, `null` and `undefined` leave the attribute out, and `true` gives it
 *   without a value (`disabled="${isPaused}"`).
 * - In `href`, `src`, `action` and their like the whole value must be a path of ours, `http`, `https` or `mailto`; else it
 *   becomes `about:invalid`, so that no cell or answer can be a `javascript:` address.
 *
 * Each template is read once, and refused at its first use where a hole could mean anything else: see {@link readTemplate}.
 *
 * @throws TypeError for such a template, and for a value that is none of {@link HtmlValue}
 */
export function html(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  let parts = templates.get(strings);
  if (!parts) {
    parts = readTemplate(strings);
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

/** Nothing at all. */
export const NOTHING: Html = make('');

/** Whether something was made by {@link html}. */
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

/** Attributes whose value a browser follows or runs. */
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

/** As text or as the value of an attribute in quotation marks. A NUL character, which HTML forbids, is replaced. */
export function escapeHtml(text: string): string {
  return text.replace(SPECIAL, (character) => ENTITIES[character] ?? '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it is the character that is looked for
const SPECIAL = /[&<>"'\u0000]/g;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\u0000': '\uFFFD',
};

/** A browser drops these, so that `java\nscript:` and `/\t/elsewhere` mean something else than what is read here. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const DROPPED = /[\u0000-\u001F\u007F]|^\s|\\/;

/** A path of this server, a query or fragment of the page, nothing, or an address of the web or of a person. */
const SAFE = /^(?:\/(?!\/)|[?#]|https?:\/\/[^/]|mailto:|$)/i;

/** Whether an address may be put into a page: it stays on this server or is one of the web, and runs nothing. */
export function safeAddress(address: string): boolean {
  return !DROPPED.test(address) && SAFE.test(address);
}
