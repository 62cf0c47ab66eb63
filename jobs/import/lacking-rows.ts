import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { UNFINISHED_STATES } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { pagesOf } from '../../src/ledger/search/row-pages.ts';

type LackingDeps = { rows: Rows; portfolios: Portfolios };

/** A file that was read to its end, as the last one of its portfolio. */
type WholeFile = { portfolio: string; fileName: string; importId: string; begun: string };

/** The states of rows of which no limit was sent, as a rule, and that go on by themselves or when they are sent again. */
const UNSENT_STATES = [...UNFINISHED_STATES, 'refused'] as const;

/** Counts the rows of earlier imports that are not in this file and were not sent, as far as their states tell. */
export async function countLacking(file: WholeFile, deps: LackingDeps): Promise<number> {
  let count = 0;
  for await (const rows of lackingRows(file, deps)) count += rows.length;
  return count;
}

/** Gives up the rows of imports begun earlier that are not in this file and were not sent. Answers how many. */
export async function leaveOutLacking(file: WholeFile, deps: LackingDeps): Promise<number> {
  const message = `given up, because ${file.fileName} has no such line and replaces what was imported before`;
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
): AsyncGenerator<RowId[]> {
  // Where there is no other import, nothing can be of one.
  if ((await portfolios.allImports(portfolio)).length < 2) return;
  for (const state of UNSENT_STATES) {
    for await (const page of pagesOf(rows, portfolio, state)) {
      const imports = await rows.importsOf(page);
      const others = page.filter((_row, place) => imports[place] !== importId);
      // Lines of the file that are faulty, and have their row already, are in the file all the same.
      const kept = await portfolios.keptRows(
        portfolio,
        others.map(({ key }) => key),
      );
      const unkept = others.filter((_row, place) => kept[place] === undefined);
      const lacking = state === 'awaiting' ? await unsentOf(unkept, rows) : unkept;
      if (lacking.length > 0) yield lacking;
    }
  }
}

/** Of rows that wait for an approval, those of which nothing is in doubt: not what somebody said of a held one's call. */
async function unsentOf(waiting: readonly RowId[], rows: Rows): Promise<RowId[]> {
  const results = await rows.read(waiting);
  return waiting.filter((_row, place) => results[place]?.awaits?.was !== 'held');
}
