import { COLUMNS, isKnown } from '../../portfolio/columns/known-columns.ts';
import { isPersonalField, MASK, makeTextMask, personalValuesIn } from './personal-text.ts';

/** What names a thing: it stays as it is, or nobody could tell rows, files and people of ours apart. */
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
]);

/** Who did something: people of ours, whatever they are called. */
const OURS = new Set(['by', 'authors']);

/** Texts as they came from the service, which may repeat whatever it was once sent. */
const VERBATIM = new Set(['body', 'heard', 'message']);

/**
 * A copy of what a page is to show, for somebody who is not to see personal data: contacts and streets by the names of their
 * fields; cells of a file's line by their columns, those of columns that we do not know included; e-mail addresses and telephone
 * numbers in any text; and in free texts, such as answers, also the values of all contacts that stand in the same data. Names of
 * companies, their numbers, countries and amounts stay, since rows could not be told apart otherwise. Pure.
 *
 * @param value plain data: objects, arrays, maps, sets, dates and primitive values
 * @throws TypeError for anything else, such as a stream or a function: what cannot be masked is not handed over
 */
export function masked<T>(value: T): T {
  const personal = new Set<string>();
  collect(value, personal);
  const free = makeTextMask(personal);
  return copy(value, { free, plain: makeTextMask([]) }) as T;
}

type TextMasks = {
  /** For texts that anybody may have written. */
  free: (text: string) => string;
  /** For names: a company may be called like its owner, and stays recognizable. */
  plain: (text: string) => string;
};

function copy(value: unknown, masks: TextMasks, key = ''): unknown {
  if (typeof value === 'string') return textOf(value, key, masks);
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return value;
  if (Array.isArray(value)) return copyArray(value, masks, key);
  if (value instanceof Map) return new Map([...value].map(([name, one]) => [name, copy(one, masks, String(name))]));
  if (value instanceof Set) return new Set([...value].map((one) => copy(one, masks, key)));
  if (value instanceof Date) return value;
  if (!isPlain(value)) throw new TypeError('This cannot be masked, so it is not handed to a page.');
  if (isCell(value)) return copyCell(value, masks);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, isPersonalField(name) ? blank(one) : copy(one, masks, name)]),
  );
}

function textOf(text: string, key: string, { free, plain }: TextMasks): string {
  if (OURS.has(key)) return text;
  return NAMES.has(key) ? plain(text) : free(text);
}

/** Of a row whose earlier words are not known in full, nobody can tell what its earlier answers repeat. */
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
  // A column that is none of ours may hold anything.
  const isShown = meaning !== null && isKnown(meaning) && COLUMNS[meaning].shown !== 'masked';
  return { ...cell, cell: isShown || cell.cell.trim() === '' ? plain(cell.cell) : MASK };
}

/** All that stands under a personal field, in the form that it had. */
function blank(value: unknown): unknown {
  if (value === null || value === undefined || value === '') return value;
  if (Array.isArray(value)) return value.map(blank);
  if (!isPlain(value)) return MASK;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, blank(one)]));
}

/** Gathers the values of personal fields, wherever they stand. */
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

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
