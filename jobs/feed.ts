import type { Portfolios } from '../src/ledger/portfolios.ts';
import { OPEN_STATES, type RowState, type Rows } from '../src/ledger/rows.ts';
import type { NewJob, Queues } from '../src/queue/queues.ts';
import { STEP_JOBS } from './step.ts';

export type FeedDeps = { rows: Rows; portfolios: Portfolios; queues: Queues };

/** Enough for every worker of a fleet to be busy until the next look, little enough to be nothing for Redis. */
const DEEP = 4_000;
/** Below this the queues are filled up again. */
const LOW = 1_000;
/** Rows read and added at a time. */
const PAGE = 1_000;

/**
 * Gives jobs to rows that wait for their first step or to be sent again, until the queues are deep: the one way by
 * which the ledger's rows become jobs. Redis so holds some thousands of jobs, however long the portfolios are. A row
 * whose job exists already is passed over by the queue itself, so feeding twice is harmless.
 */
export async function feed({ rows, portfolios, queues }: FeedDeps): Promise<number> {
  let depth = await queues.depth();
  let fed = 0;
  if (depth >= LOW) return fed;
  for (const portfolio of await portfolios.names()) {
    const { paused, states, supplier } = await portfolios.read(portfolio);
    const supplierFirst = supplier?.body && !supplier.id && !supplier.problem;
    if (paused !== undefined || supplierFirst) continue;
    for (let from = 0; from < states.queued && depth < DEEP; from += PAGE) {
      const jobs = await jobsOf(rows, portfolio, 'queued', from);
      await queues.add(jobs);
      depth += jobs.length;
      fed += jobs.length;
    }
  }
  return fed;
}

/**
 * Gives a job to every open row of a portfolio, wherever it stands: for jobs that got lost. Answers how many rows
 * were looked at.
 */
export async function rebuildJobs(portfolio: string, { rows, queues }: FeedDeps): Promise<number> {
  let looked = 0;
  for (const state of OPEN_STATES) {
    for (let from = 0; ; from += PAGE) {
      const jobs = await jobsOf(rows, portfolio, state, from);
      await queues.add(jobs);
      looked += jobs.length;
      if (jobs.length < PAGE) break;
    }
  }
  return looked;
}

async function jobsOf(rows: Rows, portfolio: string, state: RowState, from: number): Promise<NewJob[]> {
  const found = await rows.inState(portfolio, state, { from, count: PAGE });
  return found.map(({ row, step }) => ({ ...STEP_JOBS[step], data: row }));
}
