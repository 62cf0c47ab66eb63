import type { ImportedFile } from '../../src/ledger/portfolios/imports.ts';
import { type Column, placeOf } from '../../src/portfolio/columns/column.ts';
import { isErrorsHeader } from '../../src/portfolio/columns/result-columns.ts';
import { digestOf, makeKeySet } from '../../src/portfolio/identity/digest.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { readOptionsSchema } from '../../src/portfolio/read-options.ts';

/** A later import. `cameBefore`: whether its file was also imported before the earlier import. */
export type LaterFile = ImportedFile & { cameBefore: boolean };

/** Opens the stored copy of an import. @throws LimitlineError `FILE`, `NOT_FOUND` */
export type OpenImport = (known: ImportedFile) => Promise<Opened>;

/**
 * Makes a function that answers the lines of an import that a later file has: with the same cells, so that they are told with that file, or
 * with other text in the faulty cells alone, which corrects them. If the other cells say the buyer, the correction is on any line that the
 * earlier file lacks: one for each of the earlier file's lines that it may stand for. Otherwise it is on the same line of a file of the same
 * name. A later file without them corrects nothing: files of each day may have one name. Nor does a file of another name that came before,
 * since nobody wrote its lines to correct these. Another sheet, other columns and an errors file, of which each round has other lines, correct
 * nothing either.
 *
 * The earlier file is read once for all later ones, and once more for each that shares lines with it. Ask about one later file after the other.
 *
 * @throws LimitlineError `FILE`, `NOT_FOUND` where a copy cannot be read
 */
export function makeLinesAgain(known: ImportedFile, open: OpenImport): (later: LaterFile) => Promise<number[]> {
  let reading: Promise<Earlier | undefined> | undefined;
  return async (later) => {
    if (readAs(known) !== readAs(later)) return [];
    reading ??= readEarlier(known, open);
    const earlier = await reading;
    return earlier ? againIn(later, { ...earlier, known, open }) : [];
  };
}

/** An earlier file. `kinds`: the places of faulty cells of its lines, each combination once; `all`: the whole keys of its lines. */
type Earlier = {
  columns: readonly string[];
  faults: ReadonlyMap<number, Fault>;
  kinds: readonly (readonly number[])[];
  all: ReturnType<typeof makeKeySet>;
};

/** Reads an earlier file; undefined if nothing can correct its lines. */
async function readEarlier(known: ImportedFile, open: OpenImport): Promise<Earlier | undefined> {
  const faulty = await open(known);
  if (faulty.problems.length > 0 || isErrorsHeader(faulty.header)) {
    await faulty.close();
    return undefined;
  }
  const columns = faulty.header;
  const faults = new Map<number, Fault>();
  const kinds = new Map<string, readonly number[]>();
  const all = makeKeySet();
  for await (const batch of faulty.batches()) {
    for (const { line, cells, ...one } of batch) {
      const named = one.kind === 'row' ? [] : one.problems.flatMap(({ column }) => column ?? []);
      if (named.length === 0) continue;
      const places = columns.flatMap((column, at) => (named.includes(column) ? at : []));
      const kind = places.join();
      if (!kinds.has(kind)) kinds.set(kind, places);
      const sound = withoutKey(cells, places);
      faults.set(line, { places, sound, saysBuyer: sayBuyer(cells, places, faulty.columns) });
    }
  }
  for await (const batch of (await open(known)).plainLines()) for (const { cells } of batch) all.add(wholeKey(cells));
  return { columns, faults, kinds: [...kinds.values()], all };
}

async function againIn(
  later: LaterFile,
  { columns, kinds, all, known, open, ...earlier }: Earlier & { known: ImportedFile; open: OpenImport },
): Promise<number[]> {
  const again = await open(later);
  const isAlike = JSON.stringify(again.header) === JSON.stringify(columns);
  if (!isAlike || again.problems.length > 0) {
    await again.close();
    return [];
  }
  const isSameName = known.fileName === later.fileName;
  const faults: Earlier['faults'] = isSameName || !later.cameBefore ? earlier.faults : new Map();
  const moved = new Map<string, Moved>();
  for (const { sound, saysBuyer } of faults.values()) if (saysBuyer) moved.set(sound, { before: 0, after: 0 });
  /** Finds the faulty lines that a line may correct, wherever they stand: their sound cells are the same. */
  const meant = (cells: readonly string[]): Moved[] =>
    kinds.flatMap((places) => moved.get(withoutKey(cells, places)) ?? []);
  const isInPlace = (cells: readonly string[], { places, sound, saysBuyer }: Fault): boolean => {
    // Where no other cell says anything, nothing says that it is the same line.
    const isTold = cells.some((cell, at) => !places.includes(at) && cell.trim() !== '');
    return (saysBuyer || (isTold && isSameName)) && withoutKey(cells, places) === sound;
  };
  const there = makeKeySet();
  const found = new Set<number>();
  let hasSome = false;
  for await (const batch of again.plainLines()) {
    for (const { line, cells } of batch) {
      const whole = wholeKey(cells);
      there.add(whole);
      // A line that was there before, perhaps on another line, corrects none.
      const isOld = all.has(whole);
      const fault = isOld ? undefined : faults.get(line);
      if (fault && isInPlace(cells, fault)) found.add(line);
      const [one, ...others] = isOld ? [] : meant(cells);
      if (one && others.length === 0) one.after += 1;
      hasSome ||= isOld || one !== undefined;
    }
  }
  // Most later files share no line with the earlier one, which then need not be read again.
  if (!hasSome) return [...found];
  for await (const batch of (await open(known)).plainLines()) {
    for (const { line, cells } of batch) {
      if (there.has(wholeKey(cells))) found.add(line);
      else for (const one of meant(cells)) one.before += 1;
    }
  }
  for (const [line, { sound }] of faults) {
    const { before, after } = moved.get(sound) ?? { before: 1, after: 0 };
    if (before <= after) found.add(line);
  }
  return [...found];
}

/** A faulty line: which of its cells are faulty, the key of its other cells, and whether these say the buyer. */
type Fault = { places: readonly number[]; sound: string; saysBuyer: boolean };

/** How many lines of either file that the other lacks have the same cells besides the faulty ones. */
type Moved = { before: number; after: number };

const wholeKey = (cells: readonly string[]): string => digestOf(JSON.stringify(cells));

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
function sayBuyer(cells: readonly string[], faulty: readonly number[], columns: readonly Column[]): boolean {
  const places = SAYING.map((known) => placeOf(columns, known));
  return places.some((at) => !faulty.includes(at) && (cells[at] ?? '').trim() !== '');
}

/** Where and how an import found its lines: a line of another sheet, or of other columns, is another line. */
function readAs({ reading }: ImportedFile): string {
  const { sheet, mapping } = readOptionsSchema.parse(JSON.parse(reading));
  return JSON.stringify([sheet, mapping]);
}
