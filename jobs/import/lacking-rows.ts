import { earlierRows, grouped } from '../../src/counted.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { is, ROW_STATES, rowsIn, UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { pagesOf } from '../../src/ledger/search/row-pages.ts';
import { visible } from '../../src/portfolio/problem.ts';

type LackingDeps = { rows: Rows; portfolios: Portfolios };

/** A file that was read to its end. `begun` is when its import began. */
type WholeFile = { portfolio: string; fileName: string; importId: string; begun: string };

/** States of rows whose limit may be sent later, by itself or after a person's retry or answer. */
const UNSENT_STATES = [...UNFINISHED_STATES, 'refused', 'held'] as const;

/** States of rows that a file lacks without cancelling them: all but those of rows that were given up. */
const STAYING_STATES = ROW_STATES.filter((state) => state !== 'cancelled');

/** Counts rows of earlier imports that the file lacks and whose state says that they were not sent. */
export async function countLacking(file: WholeFile, deps: LackingDeps): Promise<number> {
  let count = 0;
  for await (const rows of lackingRows(file, deps)) count += rows.length;
  return count;
}

/**
 * Counts rows of earlier imports that the file lacks and that were sent: all rows of the portfolio but the file's own, those that an
 * invalid line of the file stands for, and those that were not sent. Sums tell it, so that a short file reads no other rows. 0 for an errors
 * file.
 */
export async function countLackingSent(
  portfolio: string,
  { rows, lacking, isPart }: { rows: number; lacking: number; isPart: boolean },
  deps: LackingDeps,
): Promise<number> {
  if (isPart) return 0;
  const { states, kept } = await deps.portfolios.read(portfolio);
  const givenUp = kept > 0 && states.cancelled > 0 ? await countKeptGivenUp(portfolio, deps) : 0;
  return Math.max(0, rowsIn(states, STAYING_STATES) - rows - (kept - givenUp) - lacking);
}

/** Counts the rows that were given up and that an invalid line of the file stands for. A replaced row has its line counted by itself. */
async function countKeptGivenUp(portfolio: string, { rows, portfolios }: LackingDeps): Promise<number> {
  let count = 0;
  for await (const page of pagesOf(rows, portfolio, 'cancelled')) {
    const keys = page.map(({ key }) => key);
    const kept = await portfolios.keptRows(portfolio, keys);
    const results = await rows.read(page.filter((_row, place) => kept[place] !== undefined));
    count += results.filter((result) => result && !result.replaced).length;
  }
  return count;
}

/**
 * Counts the rows that a file would lack if it was imported. `has`: whether the file has the request of this key. `lackingOpen`: those of
 * `lacking` that are sent by themselves.
 */
export async function foreseeLacking(
  portfolio: string,
  has: (key: string) => boolean,
  { rows }: { rows: LackedRows },
): Promise<Lacking & { lackingNames: string[]; lackingOpen: number }> {
  const found = { lacking: 0, lackingSent: 0, lackingOpen: 0 };
  const first: RowId[] = [];
  for (const state of STAYING_STATES) {
    for await (const page of pagesOf(rows, portfolio, state)) {
      const others = page.filter(({ key }) => !has(key));
      const unsent = isUnsent(state) ? (await unsentOf(others, state, rows)).length : 0;
      found.lacking += unsent;
      found.lackingSent += others.length - unsent;
      if (is('isOpen', state)) found.lackingOpen += unsent;
      if (first.length < NAMED) first.push(...others.slice(0, NAMED - first.length));
    }
  }
  const lackingNames = (await rows.read(first)).flatMap((result) => (result ? [result.request.name] : []));
  return { ...found, lackingNames };
}

/** How many buyers whom a file lacks are named: as many as a person reads before saying yes. */
const NAMED = 5;

export type LackedRows = Pick<Rows, 'behind' | 'read'>;

/** Numbers of rows of earlier imports that a file lacks: those that were not sent, and those that were. */
type Lacking = { lacking: number; lackingSent: number };

/**
 * A sentence about rows of earlier imports that the file lacks; none where there are none. `replace`: how a person
 * says that they are to be cancelled. It is not named for a file that has only a part of the portfolio, no row, or a last line that may be
 * cut off: that one cancels nothing.
 */
export function lackingWords(
  file: Lacking & { lackingNames?: readonly string[]; isPart: boolean; isCut?: boolean; rows: number },
  replace: string,
): string[] {
  const { lacking, lackingSent, lackingNames = [], isPart, isCut, rows } = file;
  const all = lacking + lackingSent;
  if (all === 0) return [];
  const [have, stay] =
    all === 1
      ? ['has no valid line in this file', 'stays as it is']
      : ['have no valid line in this file', 'stay as they are'];
  const both =
    lacking === 1 ? 'the one of them that was not sent' : `the ${grouped(lacking)} of them that were not sent`;
  const unsent = lackingSent > 0 ? both : all === 1 ? 'it' : 'them';
  const others = all > lackingNames.length ? [...lackingNames, '…'] : lackingNames;
  const names = lackingNames.length > 0 ? ` (${others.map(visible).join(', ')})` : '';
  const more = lacking > 0 && !isPart && rows > 0 && !isCut ? `; ${replace} cancels ${unsent}` : '';
  const cut = isCut ? `. ${CUT_OFF}` : '';
  return [`${earlierRows(all)} ${have}${names}, and ${stay}${more}${cut}.`];
}

/** Why a file cancels no row of earlier imports, whatever it was told. */
export const CUT_OFF =
  'The file ends within its last line, which cannot be used: it may be cut off, so it cancels none of them';

/** Cancels the unsent rows of earlier imports that the file lacks. Answers how many. */
export async function leaveOutLacking(file: WholeFile, deps: LackingDeps): Promise<number> {
  const message = `given up, because ${file.fileName} has no valid line for it and replaces what was imported before`;
  let count = 0;
  for await (const rows of lackingRows(file, deps)) {
    const left = await Promise.all(rows.map((row) => deps.rows.leaveOut(row, file, { step: 'limit', message })));
    count += left.filter(Boolean).length;
  }
  return count;
}

async function* lackingRows(
  { portfolio, importId }: WholeFile,
  { rows, portfolios }: LackingDeps,
): AsyncGenerator<readonly RowId[]> {
  // If the portfolio has only one import, no row is of an earlier one.
  if ((await portfolios.allImports(portfolio)).length < 2) return;
  for (const state of UNSENT_STATES) {
    for await (const page of pagesOf(rows, portfolio, state)) {
      const imports = await rows.importsOf(page);
      const others = page.filter((_row, place) => imports[place] !== importId);
      // A row whose line in the file is faulty is not lacking.
      const kept = await portfolios.keptRows(
        portfolio,
        others.map(({ key }) => key),
      );
      const unkept = others.filter((_row, place) => kept[place] === undefined);
      const lacking = await unsentOf(unkept, state, rows);
      if (lacking.length > 0) yield lacking;
    }
  }
}

const isUnsent = (state: string): state is (typeof UNSENT_STATES)[number] =>
  (UNSENT_STATES as readonly string[]).includes(state);

/** These rows, all in one state, without those whose limit is held, or was before they began to wait for approval: it may have been made. */
async function unsentOf(
  found: readonly RowId[],
  state: (typeof UNSENT_STATES)[number],
  rows: Pick<Rows, 'read'>,
): Promise<readonly RowId[]> {
  if (state !== 'awaiting' && state !== 'held') return found;
  const results = await rows.read(found);
  return found.filter((_row, place) => {
    const result = results[place];
    return (result?.awaits?.was ?? state) !== 'held' || result?.step !== 'limit';
  });
}
