import { OPEN_STATES, STEPS } from '../../src/ledger/schema/row.ts';
import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { PaceState } from '../../src/pace/pace-words.ts';
import type { NewJob } from '../../src/queue/queues.ts';
import { type CarryOutAnswersDeps, carryOutAllAnswered, closeLeft } from '../approvals/answer-approval.ts';
import { depthFor, type FeedDeps, feed, jobsOf, mayGoOn, queuesAhead } from '../rows/feed.ts';

/** How often queues are filled, shares checked and lost jobs restored. */
const LOOK_EVERY_MS = 1_000;

/** A wait of all calls up to this length, in ms, is ignored, since it is over before the next feeding. */
const SHORT_WAIT_MS = LOOK_EVERY_MS;

/**
 * While all calls wait, this many of the feeder's intervals are passed over before one feeds, because this process may not know that the
 * wait has ended.
 */
const LOOKS_RESTED = 10;

/**
 * Keeps the queues filled with rows while workers run: each second, and at once when a queue runs empty. Never runs twice at a time.
 *
 * @param paceNow the pace as this process knows it: calls per second, a common wait, tripped breakers, paused queues
 * @param lookAtBreakers refreshes the breakers' states if they are old
 */
export function startFeeder(given: {
  deps: CarryOutAnswersDeps;
  paceNow: () => PaceState;
  lookAtBreakers: () => Promise<unknown>;
  onFault: (error: unknown) => void;
}) {
  const { deps, paceNow, lookAtBreakers, onFault } = given;
  const allWait = () => (paceNow().blocked?.untilMs ?? 0) > Date.now() + SHORT_WAIT_MS;
  const heal = makeHealer(deps, allWait);
  const carryOut = makeCarryingOut(deps, onFault);
  let rested = 0;
  let nothingLeft = false;

  const look = async (): Promise<void> => {
    rested = allWait() && rested < LOOKS_RESTED ? rested + 1 : 0;
    if (rested > 0) return;
    carryOut();
    await Promise.all([heal(), lookAtBreakers(), deps.queues.paused()]);
    nothingLeft = (await feed(deps, paceNow())) === 0;
  };
  const refill = async (): Promise<void> => {
    const now = paceNow();
    if (nothingLeft || allWait()) return;
    if ((await deps.queues.depth(queuesAhead(now))) > depthFor(now.flowPerS) / 2) return;
    nothingLeft = (await feed(deps, now)) === 0;
  };

  let busy = false;
  let again = false;
  const run = (what: () => Promise<void>): void => {
    again = busy;
    if (busy) return;
    busy = true;
    what()
      .catch(onFault)
      .finally(() => {
        busy = false;
        if (again) run(refill);
      });
  };
  const timer = setInterval(() => run(look), LOOK_EVERY_MS);
  run(look);
  return { drained: (): void => run(refill), stop: (): void => clearInterval(timer) };
}

/** How many checks in succession must find that no row has moved until jobs count as lost, even if the queues are not idle. */
const STILL_LOOKS = 5;
/**
 * The most checks in succession without a moved row until jobs count as lost. The number begins at {@link STILL_LOOKS}, and doubles each
 * time that jobs counted as lost because no row had moved.
 */
const MOST_STILL_LOOKS = 160;
/** Rows checked at a time. */
const PAGE = 1_000;

/**
 * Makes a function that restores lost jobs, to be called at intervals. It acts when rows are open and either the queues are idle, or no row
 * has changed state in {@link STILL_LOOKS} of its checks: queues that lost only some jobs may seem busy. It gives missing jobs to rows in
 * progress, and removes what is left of lost jobs, so that feeding works again.
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

/** One of this many checks for answered approvals also closes abandoned approvals. A person sees those minutes later anyway. */
const LEFT_LOOKS = 60;

/**
 * Completes answered approvals whose process died before the rows were released. Runs beside feeding, which must not wait for a
 * hundred thousand rows. Runs once at a time.
 */
function makeCarryingOut(deps: CarryOutAnswersDeps, onFault: (error: unknown) => void): () => unknown {
  let looks = 0;
  const work = async (): Promise<void> => {
    await carryOutAllAnswered(deps);
    if (looks % LEFT_LOOKS === 0) await closeLeft(deps);
    looks += 1;
  };
  return onceAtATime(() => work().catch(onFault));
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
  // Queued rows get their jobs from the feeder. So only what is left of their lost jobs is removed.
  const first = await jobsOf({ portfolio, state: 'queued' }, { from: 0, count: PAGE }, rows);
  await queues.clear(await queues.known(lostOf(first)));
  return added;
}
