import { isJson } from '../../json-pointer.ts';
import { normal } from '../../likeness.ts';
import { changeExtras } from '../../portfolio/columns/extra-fields.ts';
import { COLUMNS, columnsThat, fieldOf, isKnown } from '../../portfolio/columns/known-columns.ts';

/**
 * Fields in which names of contacts stay, and only e-mail addresses and telephone numbers are masked: names, and words by which
 * Limitline or the service tells an outcome. A contact may be named like one of them, and rows must stay recognisable.
 */
const NAMES = new Set([
  'name',
  'fileName',
  'portfolio',
  'key',
  'row',
  'import',
  'id',
  'buyer',
  'column',
  'meaning',
  'account',
  'state',
  'was',
  'step',
  'kind',
  'is',
  'status',
]);

/** Fields that name Limitline's own users, which stay as they are. */
const OURS = new Set(['by', 'authors']);

/** Fields with texts of the service, which may repeat anything that was sent to it. */
const VERBATIM = new Set(['body', 'heard', 'message']);

/**
 * A copy of a page's data without personal data. It masks contacts and streets by the names of their fields, and cells of a
 * line by their columns, unknown columns included. In every text it masks e-mail addresses and telephone numbers; in free
 * texts, such as answers, also the values of all contacts in the same data. Names of companies, their numbers, countries and
 * amounts stay, since rows would be indistinguishable without them. Pure.
 *
 * @param value plain data: objects, arrays, maps, sets, dates and primitive values
 * @throws TypeError for anything else, such as a stream or a function, which cannot be masked
 */
export function masked<T>(value: T): T {
  const personal = new Set<string>();
  collect(value, personal);
  const free = makeTextMask(personal);
  return copy(value, { free, plain: makeTextMask([]) }) as T;
}

type TextMasks = {
  /** Masks free texts, which may contain anything. */
  free: (text: string) => string;
  /** Masks names of companies, but leaves persons' names in them: a company named after its owner stays recognisable. */
  plain: (text: string) => string;
};

function copy(value: unknown, masks: TextMasks, key = ''): unknown {
  if (typeof value === 'string') return textOf(value, key, masks);
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
  if (Array.isArray(value)) return copyArray(value, masks, key);
  if (value instanceof Map)
    return new Map([...value].map(([name, one]) => [keyOf(name, masks), copy(one, masks, String(name))]));
  if (value instanceof Set) return new Set([...value].map((one) => copy(one, masks, key)));
  if (value instanceof Date) return value;
  if (!isPlain(value)) throw new TypeError('This cannot be masked, so it is not handed to a page.');
  if (isCell(value)) return copyCell(value, masks);
  const plain = isPlain(value.limit) && 'requested_limit' in value.limit ? withoutExtras(value) : withoutSent(value);
  return Object.fromEntries(
    Object.entries(plain).map(([name, one]) => [
      keyOf(name, masks),
      isHidden(name, plain) ? blank(one) : copy(one, masks, name),
    ]),
  );
}

/** A key of an object or a map, masked where it may be a text of the service, such as a status by which rows are counted. */
function keyOf<Key>(key: Key, { plain }: TextMasks): Key | string {
  return typeof key === 'string' && !/^[\w-]*$/.test(key) ? plain(key) : key;
}

/** A request whose extra fields are masked, as their columns are in a line: they may hold anything. */
function withoutExtras({ company, limit, ...others }: Record<string, unknown>): Record<string, unknown> {
  const own = isPlain(company) ? changeExtras('company', company, blank) : company;
  return { ...others, company: own, limit: changeExtras('buyer_limit', Object(limit), blank) };
}

/**
 * A call with the extra fields of its body masked, or an entry about a mended request with those of its earlier request. A body
 * that is cut off cannot be read, and is masked whole.
 */
function withoutSent(call: Record<string, unknown>): Record<string, unknown> {
  const { step, kind = step, sent, is, before } = call;
  if (is === 'mended' && typeof before === 'string')
    return { ...call, before: isJson(before) ? JSON.stringify(withoutExtras(JSON.parse(before))) : MASK };
  if ((kind !== 'company' && kind !== 'limit') || typeof sent !== 'string' || sent === '') return call;
  if (!isJson(sent)) return { ...call, sent: MASK };
  const body = changeExtras(kind === 'limit' ? 'buyer_limit' : kind, JSON.parse(sent), blank);
  return { ...call, sent: JSON.stringify(body, null, 2) };
}

/**
 * Whether a field is masked whole: a personal field, or the body of a `RowProblem` with `sent`. Such a body answers another request, and
 * nobody knows whose data it contains.
 */
function isHidden(name: string, of: Record<string, unknown>): boolean {
  return isPersonalField(name) || (name === 'body' && typeof of.sent === 'string');
}

function textOf(text: string, key: string, { free, plain }: TextMasks): string {
  if (OURS.has(key)) return text;
  if (key === 'besides') return free(namesIn(text));
  return NAMES.has(key) ? plain(text) : free(text);
}

/**
 * The names of an answer's other fields, without their values, which may be anything. A text that is cut off cannot be read, and is
 * masked whole.
 */
const namesIn = (besides: string): string => (isJson(besides) ? Object.keys(JSON.parse(besides)).join(', ') : MASK);

/**
 * Copies an array, such as a row's entries. If an entry's earlier request (`before`) is cut off, not all contacts are known; then
 * texts of the service are masked whole.
 */
function copyArray(values: readonly unknown[], masks: TextMasks, key: string): unknown[] {
  const isCut = values.some((one) => isPlain(one) && typeof one.before === 'string' && !isJson(one.before));
  const copies = values.map((one) => copy(one, masks, key));
  if (!isCut) return copies;
  return copies.map((one) =>
    isPlain(one)
      ? Object.fromEntries(
          Object.entries(one).map(([name, part]) => [name, VERBATIM.has(name) && part !== '' ? MASK : part]),
        )
      : one,
  );
}

/** A cell of a file's line, see `LineCell` (ledger/story/row-story.ts). */
type Cell = { column: string; meaning: string | null; cell: string };

function isCell(value: Record<string, unknown>): value is Cell {
  return typeof value.cell === 'string' && 'meaning' in value;
}

function copyCell(cell: Cell, { plain }: TextMasks): Cell {
  const { meaning } = cell;
  // A cell of an unknown column is masked, since it may hold anything.
  const isShown = meaning !== null && isKnown(meaning) && COLUMNS[meaning].shown !== 'masked';
  return { ...cell, cell: isShown || cell.cell.trim() === '' ? plain(cell.cell) : MASK };
}

/** Masks all values below a personal field, and keeps their structure. */
function blank(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return value;
  if (Array.isArray(value)) return value.map(blank);
  if (!isPlain(value)) return MASK;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blank(one)]));
}

/** Collects the values of personal fields, at any depth. */
function collect(value: unknown, personal: Set<string>, isPersonal = false): void {
  if (typeof value === 'string') {
    if (isPersonal) personal.add(value);
    else for (const found of personalValuesIn(value)) personal.add(found);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
    for (const one of value instanceof Map ? value.values() : value) collect(one, personal, isPersonal);
    return;
  }
  if (!isPlain(value)) return;
  if (isCell(value)) {
    if (value.meaning !== null && isPersonalField(value.meaning)) personal.add(value.cell);
    return;
  }
  for (const [name, one] of Object.entries(value)) collect(one, personal, isPersonal || isPersonalField(name));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The text that stands in place of personal data. */
export const MASK = '•••';

/**
 * The names of personal fields: contacts with all their parts; the street, which is a sole trader's home; and a hosted session's link,
 * which opens a form for whoever has it. They cover the names in the service's bodies, in columns of files, and likely names in answers.
 */
const PERSONAL_FIELD =
  /^(?:session(?:Link|Heard)|contact.*|.*e[_-]?mail.*|.*(?:tele)?phone.*|.*mobile.*|fax|(?:first|last|given|family|middle|full|birth|maiden)[_-]?name|sur[_-]?name|salutation|(?:date[_-]?of[_-]?)?birth(?:[_-]?(?:date|day|place))?|street(?:[_-].*)?)$/i;

/** Whether a field of this name is personal. Pure. */
export function isPersonalField(name: string): boolean {
  return PERSONAL_FIELD.test(name) || MASKED.has(name);
}

/** The personal columns, as files and as bodies name them. */
const MASKED = new Set(columnsThat(({ shown }) => shown === 'masked').flatMap((column) => [column, fieldOf(column)]));

/** A member of an object in JSON text, whose end may be cut off; strings with escapes, and numbers. */
const JSON_MEMBER = /("([^"\\]{1,60})"\s*:\s*)("(?:[^"\\]|\\.)*(?:"|\\?$)|-?\d[\d.eE+-]*)/g;

/** RFC 5321, simplified: `@` or a common replacement, and a host with a dot; `Design@Work GmbH` does not match. */
const EMAIL = /[\p{L}\p{N}.!#$%&'*+/=?^_`{|}~-]{1,64}(?:@|%40|\(at\)|\[at\])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/giu;

/** A telephone number in international form (ITU-T E.123); other runs of digits may be ids. */
const PHONE = /(?<![\p{L}\p{N}+])\+\d[\d\s()./-]{5,24}\d(?![\p{L}\p{N}])/gu;

/** The personal values in a JSON text, such as a body that was sent; none in other texts. Pure. */
function personalValuesIn(text: string): string[] {
  if (!text.includes('":')) return [];
  return [...text.matchAll(JSON_MEMBER)]
    .filter(([, , name = '']) => isPersonalField(name))
    .map(([, , , value = '']) => unquoted(value))
    .filter((value) => value !== '');
}

/** The value of a JSON string; the raw text of one that is cut off. */
function unquoted(value: string): string {
  const inner = value.replace(/^"|(?<!\\)"$/g, '');
  try {
    return String(JSON.parse(`"${inner}"`));
  } catch {
    return inner;
  }
}

/**
 * Makes a function that masks personal data in a text: members of JSON by name, e-mail addresses, telephone numbers, and the
 * given values. Values match as whole words, in any case, and as JSON and URLs escape them. Pure.
 *
 * @param values known personal data, such as the contact of a row whose answers are shown
 */
function makeTextMask(values: Iterable<string>): (text: string) => string {
  const known = knownForms(values);
  return (text) => {
    const byName = text.replace(JSON_MEMBER, (all: string, head: string, name: string) =>
      isPersonalField(name) ? `${head}"${MASK}"` : all,
    );
    const byForm = byName.replace(EMAIL, MASK).replace(PHONE, MASK);
    return withoutKnown(byForm, known);
  };
}

/** Values with fewer characters are not looked for in texts: a single character occurs in every text. */
const LEAST_CHARACTERS = 2;

/** The forms in which values may occur in a text, such as escaped ones. The key is a form's first word in lower case. */
function knownForms(values: Iterable<string>): Map<string, Set<string>> {
  const byWord = new Map<string, Set<string>>();
  for (const value of values) {
    const text = normal(value).replace(/\s+/g, ' ').trim();
    if ([...text].length < LEAST_CHARACTERS || text === MASK) continue;
    for (const form of formsOf(text)) {
      const [word] = form.toLowerCase().match(WORDS) ?? [];
      if (word === undefined) continue;
      const others = byWord.get(word) ?? new Set();
      byWord.set(word, others.add(form));
    }
  }
  return byWord;
}

const WORDS = /[\p{L}\p{N}]+/gu;

/** Looks up the text's words first: a pattern of all values of a page would be many times slower. */
function withoutKnown(text: string, byWord: ReadonlyMap<string, ReadonlySet<string>>): string {
  if (byWord.size === 0) return text;
  const words = new Set(text.toLowerCase().match(WORDS) ?? []);
  const there = [...words].flatMap((word) => [...(byWord.get(word) ?? [])]);
  if (there.length === 0) return text;
  // The longest first, since one value may begin with another.
  const either = there
    .sort((a, b) => b.length - a.length)
    .map((form) => form.split(' ').map(RegExp.escape).join('\\s+'));
  return text.replace(new RegExp(`(?<![\\p{L}\\p{N}])(?:${either.join('|')})(?![\\p{L}\\p{N}])`, 'giu'), MASK);
}

/** Upper case is a form of its own, since `Straße` becomes `STRASSE`, which no case-insensitive pattern matches. */
function formsOf(text: string): string[] {
  const plain = [text, text.toUpperCase()];
  return plain.flatMap((one) => [one, one.normalize('NFD'), asciiJson(one), encodeURIComponent(one.toWellFormed())]);
}

/** Escaped as by JSON writers that keep to ASCII: `M\u00fcller`. */
function asciiJson(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
