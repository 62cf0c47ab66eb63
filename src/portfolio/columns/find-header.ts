import type { RawRecord } from '../../table/records.ts';
import { meaningOf } from './aliases.ts';
import { type KnownColumn, NEEDED, ownNameOf } from './known-columns.ts';
import type { Mapping } from './mapping.ts';
import { matchMapping } from './match-mapping.ts';

/** A table's first records are looked through for the header up to this line: above it stand a title and a date, or a logo. */
export const HEADER_WITHIN_LINES = 20;

/** What stands above the header and is not read: its first and last line, and the texts of those that are not blank. */
export type Above = { from: number; to: number; texts: string[] };

/** What of a mapping matters here. */
export type HeaderHints = Pick<Mapping, 'columns' | 'constants'>;

/**
 * Finds the header among the first records of a file. The first record is it as soon as it names the columns that are
 * needed, and so is any below it; where none does, that which names the most of ours, and the first of these. Another than
 * the first has to name two of ours, a needed one among them, since a cell of a list may be called like a column.
 *
 * @returns the header's place among the records; 0 where none stands out.
 */
export function findHeader(records: readonly RawRecord[], hints?: Partial<HeaderHints>): number {
  let best = { place: 0, score: -1 };
  for (const [place, record] of records.entries()) {
    if (record.line > HEADER_WITHIN_LINES) break;
    const { score, isComplete, canBe } = scoreOf(record, hints);
    if (isComplete) return place;
    if (score > best.score && (place === 0 || canBe)) best = { place, score };
  }
  return best.place;
}

/** Whether a record names all columns that are needed: then it is the header, and nothing else is looked at. */
export function isHeader(record: RawRecord | undefined, hints?: Partial<HeaderHints>): boolean {
  return record !== undefined && scoreOf(record, hints).isComplete;
}

/** How many columns of ours a header's cells name; what may be one counts half. */
export function headerScore(cells: string[], hints?: Partial<HeaderHints>): number {
  return scoreOf({ cells, fault: null }, hints).score;
}

/** The lines from the first to the header, and what stands there; null where they are blank. */
export function aboveOf(
  records: readonly Pick<RawRecord, 'line' | 'cells'>[],
  { from, header }: { from: number; header: number },
): Above | null {
  const above = records.filter(({ line }) => line < header);
  if (above.length === 0) return null;
  const texts = above.map(({ cells }) => cells.map((cell) => cell.trim()).filter((cell) => cell !== ''));
  return { from, to: header - 1, texts: texts.map((cells) => cells.join(' ')) };
}

function scoreOf({ cells, fault }: Pick<RawRecord, 'cells' | 'fault'>, hints: Partial<HeaderHints> = {}) {
  const { columns = {}, constants = {} } = hints;
  const certain = new Set<KnownColumn>();
  const possible = new Set<KnownColumn>();
  const written = cells.map((cell) => cell.trim());
  const { entryOf } = matchMapping(written, columns);
  // A header of a million cells is refused elsewhere; what is ours stands within the first of them.
  for (const cell of written.slice(0, MAX_CELLS)) {
    if (cell === '' || cell.length > MAX_NAME_LENGTH) continue;
    const entry = entryOf(cell);
    const own = ownNameOf(cell);
    const { known, guess } = entry || own ? { known: entry?.known ?? own, guess: null } : meaningOf(cell);
    if (known) certain.add(known);
    else if (guess) possible.add(guess);
  }
  const needed = NEEDED.filter((name) => constants[name] === undefined);
  const named = new Set([...certain, ...possible]);
  return {
    score: certain.size + (named.size - certain.size) / 2,
    isComplete: fault === null && needed.length > 0 && needed.every((name) => certain.has(name)),
    canBe: fault === null && named.size > 1 && needed.some((name) => named.has(name)),
  };
}

/** Excel's widest sheet has 16,384 columns. */
const MAX_CELLS = 16_384;

/** The longest of our tables has some 40 characters. */
const MAX_NAME_LENGTH = 120;
