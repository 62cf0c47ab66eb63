import { onceAtATime } from '../../src/once-at-a-time.ts';
import type { PaceState } from '../../src/pace/pace-state.ts';
import { carryOutAllAnswered, closeLeft } from '../approvals/carry-out-answered.ts';
import type { CarryOutAnswersDeps } from '../approvals/carry-out-answers.ts';
import { depthFor, feed, queuesAhead } from '../rows/feed.ts';
import { makeHealer } from './heal.ts';

/** How often queues are filled, shares checked and lost jobs restored. */
const LOOK_EVERY_MS = 1_000;

/** Shorter waits are over before the next feeding, and are ignored. */
const SHORT_WAIT_MS = LOOK_EVERY_MS;

/** While all calls wait, only every eleventh interval feeds, because this process may not know that the wait has ended. */
const LOOKS_RESTED = 10;

/**
 * Keeps the queues filled with rows while workers run: each second, and at once when a queue runs empty. Never runs twice at a
 * time.
 *
 * @param paceNow the pace as this process knows it: calls per second, a common wait, tripped breakers, paused queues
 * @param lookAtBreakers refreshes the breakers' states if they are old
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
    drained: (): void => run(refill),
    stop: (): void => clearInterval(timer),
  };
}

/** Only each 60th time, abandoned approval requests are closed: a person sees them minutes later anyway. */
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
