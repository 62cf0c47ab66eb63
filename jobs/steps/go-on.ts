import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { isStep, KIND_OF, type RowState, type Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { STEP_JOBS } from '../rows/step-jobs.ts';
import { type CallOutcome, callOnce, type PrefetchedCall, type RowOnward } from './call-once.ts';
import { callRequestOf, type OpenDocument, type Reached, type RowPosition, reachedBy } from './row-position.ts';
import {
  advance,
  elsewhere,
  endingOf,
  endJob,
  endWithout,
  giveUpRow,
  type RowEnding,
  type StepDeps,
  takeUp,
} from './step.ts';

export type GoDeps = StepDeps & { openDocument: OpenDocument };

/**
 * Takes a row up at a step and brings it on from there, step after step, for as long as it need not stand in a queue: it waits for
 * slots and permits here, as it would there, and is handed over where the next step's queue is paused, its breaker is tripped or the process
 * stops. Wherever it ends without success, its job is with the queue of that step.
 */
export async function goOn(row: RowId, step: Step, deps: GoDeps): Promise<JobEnd> {
  const found = await takeUp(row, step, deps);
  if (found.is !== 'taken') return endJob(row, found, step, deps);
  let at: Stand = { position: { ...found, uploaded: [], answered: false } };
  for (;;) {
    const next = await goOnce(at, step, deps).catch((error) => leave(at.position, error, step, deps));
    if ('is' in next) return endJob(row, next, step, deps);
    at = next;
  }
}

/** Where a row stands, and what was prefetched of the call that is next. */
type Stand = { position: RowPosition; prefetched?: PrefetchedCall | undefined };

/** Makes the call that the row needs where it stands, and answers where it stands then. */
async function goOnce({ position, prefetched }: Stand, jobStep: Step, deps: GoDeps): Promise<Stand | RowEnding> {
  const request = prefetched?.request ?? callRequestOf(position, deps.openDocument);
  const onward: RowOnward = (made) => {
    const reached = reachedBy(position, made);
    return { moving: deps.rows.moving(position.step, reached.to, reached.fields), next: nextCall(reached, deps) };
  };
  const outcome = await callOnce(request, deps, { prefetched, onward, isCarried: position.step !== jobStep });
  if (outcome.is !== 'made') return endWithout(request, outcome, position, deps);
  const reached = reachedBy(position, outcome);
  const state = await stateBehind(position, reached, outcome, deps);
  if (state === position.step && reached.to !== '') return elsewhere(position);
  const onHand = outcome.onward?.prefetched;
  // With the next call claimed it goes on, whatever was heard meanwhile; it is looked at again before it is sent.
  const goesOn = onHand !== undefined || reached.to === '' || (state === reached.to && mayGoOn(reached, deps));
  return goesOn
    ? { position: reached.position, prefetched: onHand }
    : endingOf(position.row, state, position.step, deps);
}

/** The state in which a row is once its call was made: it has gone on with that already, or goes on now. */
async function stateBehind(
  position: RowPosition,
  { to, fields }: Reached,
  outcome: Extract<CallOutcome, { is: 'made' }>,
  deps: GoDeps,
): Promise<RowState | ''> {
  if (to === '') return position.step;
  if (!outcome.onward) return advance(position, to, fields, deps);
  deps.onRowEnd?.({ state: to, step: position.step });
  return to;
}

/** The call that a row wants behind the one that was made, where it may go on to it. */
function nextCall(reached: Reached, deps: GoDeps): ReturnType<RowOnward>['next'] {
  const { to, position } = reached;
  if (to !== '' && !mayGoOn(reached, deps)) return undefined;
  return { request: () => callRequestOf(position, deps.openDocument) };
}

/** Whether a row need not stand in its next queue: nobody has paused that, and calls of its kind leave. */
function mayGoOn({ to }: Reached, { queues, breakers, stopping }: GoDeps): boolean {
  if (to === '' || !isStep(to) || stopping.aborted) return false;
  return queues.isOpenSeen(STEP_JOBS[to].queue) && !breakers.isTripped(KIND_OF[to]);
}

/**
 * A row that came to a later step than its job's, and cannot go on here since the process stops or met a fault: that step's own queue
 * has it from now on, and counts the attempts. At its own step the fault is the job's.
 * A document whose copy is gone does not come back by itself: its row ends at once.
 */
async function leave({ row, step }: RowPosition, error: unknown, jobStep: Step, deps: GoDeps): Promise<RowEnding> {
  if (step === 'documents' && isLimitlineError(error, 'NOT_FOUND')) {
    await giveUpRow(row, step, error, deps);
    return endingOf(row, 'refused', step, deps);
  }
  if (step === jobStep) throw error;
  if (!isLimitlineError(error, 'STOPPED'))
    deps.log.warn({ reason: messageOf(error) }, 'a row met an unexpected fault behind its step; the next queue has it');
  return { is: 'stands', step };
}
