/**
 * What a person would read of an answer's body: of JSON its code and its messages, in one order whatever order they came in; of a
 * web page its title; of anything else the text. On one line, and of texts that say the same once.
 */
export function answerWords(body: string): string {
  const text = body.replace(/^\ufeff/, '').trim();
  if (PAGE.test(text)) return titleOf(text);
  const json = parsed(text);
  if (json === undefined) return oneLine(MAYBE_CUT.test(text) ? unescaped(text) : withoutEntities(text));
  const said = [...new Set(spoken(json).map(oneLine).filter(Boolean))];
  return said.length > 0 ? said.join(': ') : oneLine(leaves(json).join(', '));
}

/** As `service/web-page.ts` knows one, and what stands before it in some. */
const PAGE = /^(?:\s|<!--[\s\S]{0,1000}?-->|<\?xml[^>]{0,200}\?>)*<(?:!doctype\s+html|html|head|body|title)\b/i;

/** JSON that was longer than what is kept of an answer. */
const MAYBE_CUT = /^[{["]/;

/** By these fields services say what is wrong, as a code and in words; what is behind is taken where nothing before it is there. */
const CODES = ['code', 'error_code', 'errorcode', 'type', 'error'];
const WORDS = ['message', 'error_description', 'description', 'detail', 'title', 'reason', 'msg', 'text'];
const WITHIN = ['error', 'errors', 'details', 'detail', 'violations', 'causes', 'fault', 'data'];
/** Which field of the request is meant. */
const PLACES = ['field', 'param', 'parameter', 'property', 'path', 'pointer', 'name'];

/** Deeper than services nest their errors; a body cannot exhaust the stack. */
const DEEPEST = 6;
/** More than a person reads. */
const MOST_TEXTS = 12;

/** What an error says, its code first, then its words, then those of what it consists of. */
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

/** `{ "name": ["must not be empty"] }` names the field by its name, a list or an error by what it says. */
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

/** A number that a service gives as its code is known by the word before it, see rowless-words.ts. */
function codeWords(code: string): string {
  return /^\d+$/.test(code) ? `code ${code}` : code;
}

/** Every value by its name, in the order of names: of JSON that says nothing in the usual fields. */
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

/** What JSON writes in its own way, as it is read. */
function unescaped(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/\\[nrt]/g, ' ')
    .replace(/\\(["\\/])/g, '$1');
}

/** The letters that HTML writes in its own way, as they are read. */
function withoutEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,6})|#x([0-9a-f]{1,5})|(amp|lt|gt|quot|apos|nbsp));/gi, (all, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? all;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/** Control characters, those that turn a line's direction among them, are nothing that a person reads. */
function oneLine(text: string): string {
  return text
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim();
}
