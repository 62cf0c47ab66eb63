import type { Calls } from '../../src/ledger/calls.ts';
import { OPEN_STATES, ROW_STATES } from '../../src/ledger/row.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { STEP_JOBS } from '../rows/step-jobs.ts';
import { walkRows } from '../rows/walk-rows.ts';

type ReconcileDeps = FeedDeps & { calls: Calls };

/** Something that was not as it should be, and what was done about it. */
export type Finding = { portfolio: string; finding: string; rows: number };

/**
 * Compares the queues with the ledger, which is the truth: an open row without a job gets one, so that work goes on
 * even when all that BullMQ knew is gone; a row that is in another state than it is counted in is told of, and so is what
 * was made twice.
 */
export async function reconcile(deps: ReconcileDeps): Promise<Finding[]> {
  const findings = (await deps.calls.madeTwice()).map(({ kind, id, again, row }): Finding => {
    return { portfolio: row.split('/')[0] ?? '', finding: `a ${kind} was made twice: ${id} and ${again}`, rows: 1 };
  });
  for (const portfolio of await deps.portfolios.names()) {
    const restored = await restoreJobsRowByRow(portfolio, deps);
    if (restored > 0) {
      findings.push({ portfolio, finding: 'rows in progress had no job; they have one again', rows: restored });
    }
    const miscounted = await countMiscounted(portfolio, deps);
    if (miscounted > 0) {
      findings.push({ portfolio, finding: 'rows are counted in a state that they are not in', rows: miscounted });
    }
  }
  return findings;
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

/** Counts rows whose own state is another than that of the index that has them. */
async function countMiscounted(portfolio: string, { rows }: FeedDeps): Promise<number> {
  let miscounted = 0;
  for (const state of ROW_STATES) {
    await walkRows(rows, portfolio, state, async ({ row, result }) => {
      // A row that has just moved on is no longer in the index; only one that still is there is counted wrongly.
      if (result.state !== state && (await rows.isIn(row, state))) miscounted += 1;
      return false;
    });
  }
  return miscounted;
}
