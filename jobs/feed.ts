import type { PortfolioState, Portfolios } from '../src/ledger/portfolios.ts';
import { OPEN_STATES, type RowState, type Rows } from '../src/ledger/rows.ts';
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
    const state = await portfolios.read(portfolio);
    if (supplierComesFirst(state)) await queues.add([supplierJob(portfolio)]);
    if (!mayGoOn(state)) continue;
    const { states } = state;
    for (let from = 0; from < states.queued && depth < DEEP; from += PAGE) {
      const jobs = await jobsOf(rows, portfolio, 'queued', from);
      await queues.add(jobs);
      depth += jobs.length;
      fed += jobs.length;
    }
  }
  return fed;
}

function supplierComesFirst({ paused, supplier }: PortfolioState): boolean {
  return paused === undefined && supplier?.body !== undefined && !supplier.id && !supplier.problem;
}

function mayGoOn(state: PortfolioState): boolean {
  return state.paused === undefined && !supplierComesFirst(state);
}

/** Rows that all stand still for so many looks have perhaps no jobs, whatever the queues say. */
const STILL_LOOKS = 5;

/**
 * Makes a function that notices lost jobs, to be called now and then: rows are open, and either the queues are
 * empty and idle, or nothing has moved for {@link STILL_LOOKS} calls (a queue half lost may believe in a job that is
 * gone). Then rows get a job where they have none, so that the line heals itself within seconds.
 */
export function makeHealer(deps: FeedDeps): () => Promise<number> {
  let seen = '';
  let still = 0;
  return async () => {
    const states = await Promise.all((await deps.portfolios.names()).map((name) => deps.portfolios.read(name)));
    const now = JSON.stringify(states.map((state) => state.states));
    still = now === seen ? still + 1 : 0;
    seen = now;
    const open = states.filter((state) => mayGoOn(state) && OPEN_STATES.some((name) => state.states[name] > 0));
    if (open.length === 0 || (still < STILL_LOOKS && !(await deps.queues.areIdle()))) return 0;
    still = 0;
    let healed = 0;
    for (const { name } of open) healed += await restoreJobs(name, deps);
    return healed;
  };
}

async function restoreJobs(portfolio: string, { rows, queues }: FeedDeps): Promise<number> {
  let added = 0;
  for (const state of OPEN_STATES) {
    for (let from = 0; ; from += PAGE) {
      const jobs = await jobsOf(rows, portfolio, state, from);
      const restored = await Promise.all(jobs.map((job) => queues.restore(job)));
      added += restored.filter(Boolean).length;
      // Of the rows that wait, the first are enough to get the line going; the feeder brings the others.
      if (jobs.length < PAGE || state === 'queued') break;
    }
  }
  return added;
}

async function jobsOf(rows: Rows, portfolio: string, state: RowState, from: number): Promise<NewJob[]> {
  const found = await rows.inState(portfolio, state, { from, count: PAGE });
  return found.map(({ row, step }) => ({ ...STEP_JOBS[step], data: row }));
}
