import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Calls } from '../../src/ledger/calls.ts';
import type { Difference } from '../../src/ledger/counts/row-comparison.ts';
import type { CheckName, FoundItem, FoundSink } from '../../src/ledger/nightly/checks.ts';
import { OPEN_STATES } from '../../src/ledger/row.ts';
import type { Stories } from '../../src/ledger/story/story.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { STEP_JOBS } from '../rows/step-jobs.ts';
import { walkRows } from '../rows/walk-rows.ts';
import { type FinanceDeps, makeFinanceChecks } from './finance/index.ts';
import { checkLedger, type LedgerCheckDeps } from './ledger/index.ts';
import type { Night } from './task.ts';

export type LookDeps = FeedDeps &
  FinanceDeps &
  LedgerCheckDeps & { calls: Calls; stories: Stories; approvals: Approvals };

/**
 * Compares the queues with the ledger, which is the truth: an open row without a job gets one, so that work goes on
 * even when all that BullMQ knew is gone. What is kept of the rows beside them (the indexes by state and cause, the sums) is
 * compared with the rows and mended, and what was made twice is told of.
 *
 * @returns how much was looked at
 * @throws the signal's reason, between two portfolios
 */
export async function lookThrough(
  deps: LookDeps,
  sink: FoundSink,
  { atMs, signal }: Pick<Night, 'atMs' | 'signal'>,
): Promise<{ portfolios: number; rows?: number }> {
  // First, since the jobs go by the indexes.
  const names = await deps.portfolios.names();
  for (const difference of await deps.portfolios.compare(names)) await sink.found(asItem(difference));
  const listed = await deps.stories.mendHeld(names);
  if (listed > 0)
    await sink.found(mended('indexes', '', 'held rows were not listed as they are; they are now', listed));
  for (const portfolio of names) {
    signal.throwIfAborted();
    for (const item of await searchItems(portfolio, deps)) await sink.found(item);
    const unbound = await deps.approvals.compare(portfolio);
    if (unbound > 0) {
      const says = 'approvals were not as the rows that wait for them; they are now';
      await sink.found(mended('approvals', portfolio, says, unbound));
    }
    const restored = await restoreJobsRowByRow(portfolio, deps);
    if (restored > 0) {
      await sink.found(mended('no job', portfolio, 'rows in progress had no job; they have one again', restored));
    }
  }
  const finance = await makeFinanceChecks(deps, { sink, atMs, signal });
  const { rows } = await checkLedger(deps, { sink, rowChecks: finance.rowChecks, signal });
  await finance.run();
  return { portfolios: names.length, rows };
}

function mended(check: CheckName, portfolio: string, says: string, rows: number): FoundItem {
  return { check, portfolio, says, rows, isMended: true };
}

/** Whether each row is found by all that it is searched by; where the indexes are turned off, nobody searches. */
async function searchItems(portfolio: string, { rows }: FeedDeps): Promise<FoundItem[]> {
  const { lacking, wrong } = await rows.compareSearch(portfolio);
  const items = [
    mended('indexes', portfolio, 'rows were not found by all that they are searched by; they are now', lacking),
    mended('indexes', portfolio, 'rows were found by what they do not have; they are no more', wrong),
  ];
  return items.filter((found) => found.rows !== 0);
}

/**
 * Gives a job to each row in progress that has none, and answers how many had none. The queues are asked about every single
 * row; the healer of the workers, which has to be quick (jobs/workers/heal.ts), only about rows in none of the queues' lists.
 * Rows that are still queued are the feeder's: most of them have no job yet and need none, but nothing that is left of a lost
 * one may be in its way.
 */
async function restoreJobsRowByRow(portfolio: string, { rows, queues }: FeedDeps): Promise<number> {
  let restored = 0;
  for (const state of OPEN_STATES) {
    await walkRows(rows, portfolio, state, async ({ row, result }) => {
      if (state === 'queued') await queues.sweep(row);
      else if (await queues.restore({ ...STEP_JOBS[result.step], data: row })) restored += 1;
      return false;
    });
  }
  return restored;
}

/** What was not as the rows are, in words. */
function asItem({ portfolio, is, rows, names = [] }: Difference): FoundItem {
  switch (is) {
    case 'state':
      return mended('counts', portfolio, 'rows were not counted in the state that they are in; they are now', rows);
    case 'cause':
      return mended('indexes', portfolio, 'failed rows were not found by their cause; they are now', rows);
    case 'index': {
      const says = 'rows were counted in a state or cause that they are not in; they are no more';
      return mended('counts', portfolio, says, rows);
    }
    case 'row':
      return mended('counts', portfolio, 'rows were not in the sums as they are; they are now', rows);
    case 'sums': {
      const named = names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : names;
      const says = `sums and counts were not those of the rows (${named.join(', ')}); they are now`;
      return mended('counts', portfolio, says, rows);
    }
  }
}

/** So many sums are named in a finding. */
const MOST_NAMED = 8;
