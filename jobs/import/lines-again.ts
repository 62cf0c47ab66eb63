import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import { type Column, placeOf } from '../../src/portfolio/columns/column.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { digestOf, makeKeySet } from '../../src/portfolio/identity/digest.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/** Opens the stored copy of an import. @throws LimitlineError `FILE`, `NOT_FOUND` */
export type OpenImport = (known: ImportedFile) => Promise<Opened>;

/**
 * Lines of an import that a later file has: with the same cells, so that they are told with that file, or with other text in the faulty
 * cells alone, which corrects them. If the other cells say the buyer, the correction is on any line that the earlier file lacks: one for each
 * of the earlier file's lines that it may stand for. Otherwise it is on the same line of a file of the same name. A later file without them
 * corrects nothing: files of each day may have one name. Another sheet, other columns and an errors file, of which each round has other
 * lines, correct nothing either.
 *
 * @throws LimitlineError `FILE`, `NOT_FOUND` where a copy cannot be read
 */
export async function linesAgain(known: ImportedFile, later: ImportedFile, open: OpenImport): Promise<number[]> {
  if (readAs(known) !== readAs(later)) return [];
  const faulty = await open(known);
  if (faulty.problems.length > 0 || isErrorsHeader(faulty.header)) {
    await faulty.close();
    return [];
  }
  const columns = faulty.header;
  const isSameName = known.fileName === later.fileName;
  const faults = new Map<number, Fault>();
  const kinds = new Map<string, readonly number[]>();
  const moved = new Map<string, Moved>();
  const earlier = makeKeySet();
  for await (const batch of faulty.batches()) {
    for (const { line, cells, ...one } of batch) {
      const named = one.kind === 'row' ? [] : one.problems.flatMap(({ column }) => column ?? []);
      if (named.length === 0) continue;
      const places = columns.flatMap((column, at) => (named.includes(column) ? at : []));
      const kind = places.join();
      if (!kinds.has(kind)) kinds.set(kind, places);
      const key = saysBuyer(cells, places, faulty.columns) ? withoutKey(cells, places) : undefined;
      if (key !== undefined) moved.set(key, { before: 0, after: 0 });
      faults.set(line, { places, key });
    }
  }
  /** Finds the faulty lines that a line may correct, wherever they stand: their sound cells are the same. */
  const meant = (cells: readonly string[]): Moved[] =>
    [...kinds.values()].flatMap((places) => moved.get(withoutKey(cells, places)) ?? []);
  const keysOf = (line: number, cells: readonly string[]): string[] => {
    const fault = faults.get(line);
    // Where no other cell says anything, nothing says that it is the same line.
    const isTold = cells.some((cell, at) => !fault?.places.includes(at) && cell.trim() !== '');
    const isInPlace = fault && (fault.key !== undefined || (isSameName && isTold));
    return [wholeKey(cells), ...(isInPlace ? [digestOf(`${line} ${withoutKey(cells, fault.places)}`)] : [])];
  };
  const there = makeKeySet();
  const again = await open(later);
  const isAlike = JSON.stringify(again.header) === JSON.stringify(columns);
  if (!isAlike || again.problems.length > 0) {
    await again.close();
    return [];
  }
  for await (const batch of (await open(known)).plainLines())
    for (const { cells } of batch) earlier.add(wholeKey(cells));
  for await (const batch of again.plainLines()) {
    for (const { line, cells } of batch) {
      const [whole = '', ...inPlace] = keysOf(line, cells);
      there.add(whole);
      // A line that was there before, perhaps on another line, corrects none.
      if (earlier.has(whole)) continue;
      for (const key of inPlace) there.add(key);
      const [one, ...others] = meant(cells);
      if (one && others.length === 0) one.after += 1;
    }
  }
  const found = new Set<number>();
  for await (const batch of (await open(known)).plainLines()) {
    for (const { line, cells } of batch) {
      if (keysOf(line, cells).some((key) => there.has(key))) found.add(line);
      if (!there.has(wholeKey(cells))) for (const one of meant(cells)) one.before += 1;
    }
  }
  for (const [line, { key }] of faults) {
    const { before, after } = moved.get(key ?? '') ?? { before: 1, after: 0 };
    if (before <= after) found.add(line);
  }
  return [...found];
}

/** A faulty line: which of its cells are faulty, and the key of its other cells where these say the buyer. */
type Fault = { places: readonly number[]; key: string | undefined };

/** How many lines of either file that the other lacks have the same cells besides the faulty ones. */
type Moved = { before: number; after: number };

function wholeKey(cells: readonly string[]): string {
  return digestOf(JSON.stringify(cells));
}

function withoutKey(cells: readonly string[], places: readonly number[]): string {
  return digestOf(JSON.stringify([places, cells.map((cell, at) => (places.includes(at) ? '' : cell))]));
}

const SAYING = [
  'name',
  'buyer_reference',
  'company_registration_number',
  'business_information_id',
  'request_reference',
] as const;

/** Whether a cell that is not faulty says who the buyer is, or which request is meant. */
function saysBuyer(cells: readonly string[], faulty: readonly number[], columns: readonly Column[]): boolean {
  const places = SAYING.map((known) => placeOf(columns, known));
  return places.some((at) => !faulty.includes(at) && (cells[at] ?? '').trim() !== '');
}

/** Where and how an import found its lines: a line of another sheet, or of other columns, is another line. */
function readAs({ reading }: ImportedFile): string {
  const { sheet, mapping } = readOptionsSchema.parse(JSON.parse(reading));
  return JSON.stringify([sheet, mapping]);
}
