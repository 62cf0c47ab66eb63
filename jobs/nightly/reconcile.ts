import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { Calls } from '../../src/ledger/calls.ts';
import type { Difference } from '../../src/ledger/counts/row-comparison.ts';
import { OPEN_STATES } from '../../src/ledger/row.ts';
import type { Stories } from '../../src/ledger/story/story.ts';
import type { FeedDeps } from '../rows/feed.ts';
import { STEP_JOBS } from '../rows/step-jobs.ts';
import { walkRows } from '../rows/walk-rows.ts';

type ReconcileDeps = FeedDeps & { calls: Calls; stories: Stories; approvals: Approvals };

/** Something that was not as it should be, and what was done about it. */
export type Finding = { portfolio: string; finding: string; rows: number };

/**
 * Compares the queues with the ledger, which is the truth: an open row without a job gets one, so that work goes on
 * even when all that BullMQ knew is gone. What is kept of the rows beside them (the indexes by state and cause, the sums) is
 * compared with the rows and mended, and what was made twice is told of.
 */
export async function reconcile(deps: ReconcileDeps): Promise<Finding[]> {
  const findings = (await deps.calls.madeTwice()).map(({ kind, id, again, row }): Finding => {
    return { portfolio: row.split('/')[0] ?? '', finding: `a ${kind} was made twice: ${id} and ${again}`, rows: 1 };
  });
  // First, since the jobs go by the indexes.
  const names = await deps.portfolios.names();
  findings.push(...(await deps.portfolios.compare(names)).map(toFinding));
  const listed = await deps.stories.mendHeld(names);
  if (listed > 0)
    findings.push({ portfolio: '', finding: 'held rows were not listed as they are; they are now', rows: listed });
  for (const portfolio of names) {
    findings.push(...(await searchFindings(portfolio, deps)));
    const unbound = await deps.approvals.compare(portfolio);
    if (unbound > 0) {
      findings.push({
        portfolio,
        finding: 'approvals were not as the rows that wait for them; they are now',
        rows: unbound,
      });
    }
    const restored = await restoreJobsRowByRow(portfolio, deps);
    if (restored > 0) {
      findings.push({ portfolio, finding: 'rows in progress had no job; they have one again', rows: restored });
    }
  }
  await deps.portfolios.noteReconciled(findings.length);
  return findings;
}

/** Whether each row is found by all that it is searched by; where the indexes are turned off, nobody searches. */
async function searchFindings(portfolio: string, { rows }: FeedDeps): Promise<Finding[]> {
  const { lacking, wrong } = await rows.compareSearch(portfolio);
  return [
    { portfolio, finding: 'rows were not found by all that they are searched by; they are now', rows: lacking },
    { portfolio, finding: 'rows were found by what they do not have; they are no more', rows: wrong },
  ].filter((found) => found.rows > 0);
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
function toFinding({ portfolio, is, rows, names = [] }: Difference): Finding {
  switch (is) {
    case 'state':
      return { portfolio, finding: 'rows were not counted in the state that they are in; they are now', rows };
    case 'cause':
      return { portfolio, finding: 'failed rows were not found by their cause; they are now', rows };
    case 'index':
      return {
        portfolio,
        finding: 'rows were counted in a state or cause that they are not in; they are no more',
        rows,
      };
    case 'row':
      return { portfolio, finding: 'rows were not in the sums as they are; they are now', rows };
    case 'sums': {
      const named = names.length > MOST_NAMED ? [...names.slice(0, MOST_NAMED), '…'] : names;
      return {
        portfolio,
        finding: `sums and counts were not those of the rows (${named.join(', ')}); they are now`,
        rows,
      };
    }
  }
}

/** So many sums are named in a finding. */
const MOST_NAMED = 8;
