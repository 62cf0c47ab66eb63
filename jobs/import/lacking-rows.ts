import { earlierRows } from '../../src/counted.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { pagesOf } from '../../src/ledger/search/row-pages.ts';

type LackingDeps = { rows: Rows; portfolios: Portfolios };

/** A file that was read to its end. `begun` is when its import began. */
type WholeFile = { portfolio: string; fileName: string; importId: string; begun: string };

/** States of rows whose limit may be sent later, by itself or after a person's retry or answer. */
const UNSENT_STATES = [...UNFINISHED_STATES, 'refused', 'held'] as const;

/** Counts rows of earlier imports that the file lacks and whose state says that they were not sent. */
export async function countLacking(file: WholeFile, deps: LackingDeps): Promise<number> {
  let count = 0;
  for await (const rows of lackingRows(file, deps)) count += rows.length;
  return count;
}

/** Counts the rows that a file would lack if it was imported. `has`: whether the file has the request of this key. */
export async function foreseeLacking(
  portfolio: string,
  has: (key: string) => boolean,
  { rows }: Pick<LackingDeps, 'rows'>,
): Promise<number> {
  let count = 0;
  for (const state of UNSENT_STATES) {
    for await (const page of pagesOf(rows, portfolio, state)) {
      const others = page.filter(({ key }) => !has(key));
      count += (await unsentOf(others, state, rows)).length;
    }
  }
  return count;
}

/**
 * A sentence about rows of earlier imports that the file lacks; none where there are none. `replace`: how a person
 * says that they are to be cancelled. It is not named for a file that has only a part of the portfolio.
 */
export function lackingWords({ lacking, isPart }: { lacking: number; isPart: boolean }, replace: string): string[] {
  if (lacking === 0) return [];
  const [are, them] =
    lacking === 1
      ? ['has no valid line in this file, and stays as it is', 'it']
      : ['have no valid line in this file, and stay as they are', 'them'];
  return [`${earlierRows(lacking)} ${are}${isPart ? '' : `; ${replace} cancels ${them}`}.`];
}

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
