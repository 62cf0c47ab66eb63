import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { PaceState } from '../../src/pace/pace-state.ts';
import { carryOutAllAnswered, closeLeft } from '../approvals/carry-out-answered.ts';
import type { CarryOutAnswersDeps } from '../approvals/carry-out-answers.ts';
import { depthFor, feed, queuesAhead } from '../rows/feed.ts';
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
 * @param paceNow what holds calls back, as this process saw it last: how deep to fill, whether all wait, which breakers are tripped and
 * which queues are paused
 * @param lookAtBreakers asks about the breakers where this process has not heard of them lately
 */
export function startFeeder({
  deps,
  paceNow,
  lookAtBreakers,
  onFault,
}: {
  deps: CarryOutAnswersDeps;
  paceNow: () => PaceState;
  lookAtBreakers: () => Promise<unknown>;
  onFault: (error: unknown) => void;
}) {
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
  return {
    /** A queue has run empty. */
    drained: (): void => run(refill),
    stop: (): void => clearInterval(timer),
  };
}

/** What somebody began to ask for and was killed at is looked for so rarely: a person looks at it in minutes. */
const LEFT_LOOKS = 60;

/**
 * Whoever answered an approval may have died before its rows went: somebody goes on. Beside the feeding, which is not to wait while a
 * hundred thousand rows are let go; once at a time.
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
