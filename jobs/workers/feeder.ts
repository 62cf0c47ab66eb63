import type { Approvals } from '../../src/ledger/approvals/approvals.ts';
import type { PaceState } from '../../src/pace/pace-state.ts';
import { depthFor, type FeedDeps, feed, queuesAhead } from '../rows/feed.ts';
import { freeAllApproved } from '../rows/free-approved.ts';
import { makeHealer } from './heal.ts';

/** How often it is seen to that the queues are full, that no portfolio lacks its share, and that no job is lost. */
const LOOK_EVERY_MS = 1_000;

/** A wait that is over before the next look is none. */
const SHORT_WAIT_MS = LOOK_EVERY_MS;

/** While all calls wait nothing leaves the queues. What this process knows of the wait may be old, so it looks at times. */
const LOOKS_RESTED = 10;

/**
 * Keeps the queues filled with rows of the ledger, for as long as workers run: looks now and then, at once when a queue
 * has run empty, and never twice at a time.
 *
 * @param paceNow what holds calls back, as this process saw it last: how deep to fill, whether all wait, which doors are shut and
 * which queues are paused
 * @param lookAtDoors asks about the doors where this process has not heard of them lately
 */
export function startFeeder({
  deps,
  paceNow,
  lookAtDoors,
  onFault,
}: {
  deps: FeedDeps & { approvals: Approvals };
  paceNow: () => PaceState;
  lookAtDoors: () => Promise<unknown>;
  onFault: (error: unknown) => void;
}) {
  const allWait = () => (paceNow().blocked?.untilMs ?? 0) > Date.now() + SHORT_WAIT_MS;
  const heal = makeHealer(deps, allWait);
  let rested = 0;
  let nothingLeft = false;

  const look = async (): Promise<void> => {
    rested = allWait() && rested < LOOKS_RESTED ? rested + 1 : 0;
    if (rested > 0) return;
    // Whoever answered may have died before the rows went.
    await Promise.all([heal(), lookAtDoors(), deps.queues.paused(), freeAllApproved(deps)]);
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
  return {
    /** A queue has run empty. */
    drained: (): void => run(refill),
    stop: (): void => clearInterval(timer),
  };
}
