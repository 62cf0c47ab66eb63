import type { Portfolios } from '../src/ledger/portfolios.ts';
import { type RowState, type Rows, STEPS } from '../src/ledger/rows.ts';
import type { NewJob, Queues } from '../src/queue/queues.ts';
import { STEP_JOBS, supplierJob } from './step.ts';

/** What it takes to turn rows into jobs. */
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
    if (paused !== undefined) continue;
    if (supplier?.body && !supplier.id && !supplier.problem) {
      await queues.add([supplierJob(portfolio)]);
      continue;
    }
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
 * Notices that the queues have lost jobs: they are empty and idle, and yet rows are in progress. Then every such row gets
 * a job, so that the line heals itself within a second or two. Answers how many rows were looked at.
 */
export async function healJobs({ rows, portfolios, queues }: FeedDeps): Promise<number> {
  if (!(await queues.areIdle())) return 0;
  let healed = 0;
  for (const portfolio of await portfolios.names()) {
    for (const state of STEPS) {
      for (let from = 0; ; from += PAGE) {
        const jobs = await jobsOf(rows, portfolio, state, from);
        await queues.add(jobs);
        healed += jobs.length;
        if (jobs.length < PAGE) break;
      }
    }
  }
  return healed;
}

async function jobsOf(rows: Rows, portfolio: string, state: RowState, from: number): Promise<NewJob[]> {
  const found = await rows.inState(portfolio, state, { from, count: PAGE });
  return found.map(({ row, step }) => ({ ...STEP_JOBS[step], data: row }));
}
