import { OPEN_STATES, STEPS } from '../../src/ledger/schema/row.ts';
import type { NewJob } from '../../src/queue/queues.ts';
import { type FeedDeps, jobsOf, mayGoOn } from '../rows/feed.ts';

/** After so many calls without any row changing state, jobs may be lost, whatever the queues say. */
const STILL_LOOKS = 5;
/** The upper limit: each time that rows stand still and are checked, the number of calls until the next check doubles. */
const MOST_STILL_LOOKS = 160;
/** Rows checked at a time. */
const PAGE = 1_000;

/**
 * Makes a function that restores lost jobs, to be called at intervals. It acts when rows are open and either the queues are
 * idle or no row has changed state for {@link STILL_LOOKS} calls. (Half-lost queues may count jobs that are gone.) Then rows in
 * progress get a missing job, and remains of lost jobs are removed, so that feeding works again.
 *
 * @param isWaiting whether all calls wait, as in an outage: then standing still is normal
 */
export function makeHealer(deps: FeedDeps, isWaiting: () => boolean = () => false): () => Promise<number> {
  let seen = '';
  let still = 0;
  let patience = STILL_LOOKS;
  return async () => {
    if (isWaiting()) {
      still = 0;
      return 0;
    }
    const states = (await deps.portfolios.open()).filter(mayGoOn);
    const now = JSON.stringify(states.map((state) => state.states));
    if (now !== seen) [still, patience] = [0, STILL_LOOKS];
    else still += 1;
    seen = now;
    const open = states.filter((state) => OPEN_STATES.some((name) => state.states[name] > 0));
    if (open.length === 0 || (still < patience && !(await deps.queues.areIdle()))) return 0;
    if (still >= patience) patience = Math.min(2 * patience, MOST_STILL_LOOKS);
    still = 0;
    await deps.queues.hasten();
    const alive = await deps.queues.alive();
    let healed = 0;
    for (const { name } of open) healed += await restoreUnlistedJobs(name, alive.get(name) ?? new Set(), deps);
    return healed;
  };
}

async function restoreUnlistedJobs(
  portfolio: string,
  alive: ReadonlySet<string>,
  { rows, queues }: FeedDeps,
): Promise<number> {
  const lostOf = (jobs: NewJob[]) => jobs.filter(({ data }) => !alive.has(data.key));
  let added = 0;
  for (const state of STEPS) {
    for (let from = 0, more = true; more; from += PAGE) {
      const jobs = await jobsOf({ portfolio, state }, { from, count: PAGE }, rows);
      const restored = await Promise.all(lostOf(jobs).map((job) => queues.restore(job)));
      added += restored.filter(Boolean).length;
      more = jobs.length === PAGE;
    }
  }
  // Waiting rows get their jobs from the feeder. Only remains of lost jobs have to go.
  const first = await jobsOf({ portfolio, state: 'queued' }, { from: 0, count: PAGE }, rows);
  await queues.clear(await queues.known(lostOf(first)));
  return added;
}
