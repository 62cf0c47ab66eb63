import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { isStep, KIND_OF, type RowState, type Step } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { STEP_JOBS } from '../rows/feed.ts';
import { type CallEnding, callOnce, type MoveAfterCall, type PreparedCall } from './call-once.ts';
import { callRequestOf, type OpenDocument, type Reached, type RowPosition, reachedBy } from './row-position.ts';
import type { DueJob, StepDeps } from './step.ts';
import { advance, dueJobOf, elsewhere, endJob, endWithout, giveUpRow, takeUp } from './step.ts';

export type GoDeps = StepDeps & { openDocument: OpenDocument };

/**
 * Takes a row up at a step and carries it through the following steps, waiting in this process for slots and permits. If the next step's
 * queue is paused, its breaker is tripped or the process stops, that queue takes the row over. The job of an unsuccessful row is in the
 * queue of the step where the row ended.
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

/** A row's position, and its next call if that was prepared. */
type Stand = { position: RowPosition; prepared?: PreparedCall | undefined };

/** Makes the call that the row needs at its position, and returns its position afterwards. */
async function goOnce({ position, prepared }: Stand, jobStep: Step, deps: GoDeps): Promise<Stand | DueJob> {
  const request = prepared?.request ?? callRequestOf(position, deps.openDocument);
  const moveAfter: MoveAfterCall = (made) => {
    const reached = reachedBy(position, made);
    return { moving: deps.rows.moving(position.step, reached.to, reached.fields), next: nextCall(reached, deps) };
  };
  const outcome = await callOnce(request, deps, { prepared, moveAfter, isCarried: position.step !== jobStep });
  if (outcome.is !== 'made') return endWithout(request, outcome, position, deps);
  const reached = reachedBy(position, outcome);
  const state = await stateBehind(position, reached, outcome, deps);
  if (state === position.step && reached.to !== '') return elsewhere(position);
  const onHand = outcome.moved?.prepared;
  // Where the next call is prepared, the row goes on. Whether that call may leave is checked again before it is sent.
  const goesOn = onHand !== undefined || reached.to === '' || (state === reached.to && mayGoOn(reached, deps));
  return goesOn ? { position: reached.position, prepared: onHand } : dueJobOf(position.row, state, position.step, deps);
}

/** The row's state after its call was made. Moves the row on unless the ledger has already done so with the settlement. */
async function stateBehind(
  position: RowPosition,
  { to, fields }: Reached,
  outcome: Extract<CallEnding, { is: 'made' }>,
  deps: GoDeps,
): Promise<RowState | ''> {
  if (to === '') return position.step;
  if (!outcome.moved) return advance(position, to, fields, deps);
  deps.onRowEnd?.({ state: to, step: position.step });
  return to;
}

/** The next call of the row after the one that was made; undefined if the row may not go on to it. */
function nextCall(reached: Reached, deps: GoDeps): ReturnType<MoveAfterCall>['next'] {
  const { to, position } = reached;
  if (to !== '' && !mayGoOn(reached, deps)) return undefined;
  return { request: () => callRequestOf(position, deps.openDocument) };
}

/** Whether a row may skip its next queue: nobody paused that queue, and the breaker of its calls is not tripped. */
function mayGoOn({ to }: Reached, { queues, breakers, stopping }: GoDeps): boolean {
  if (to === '' || !isStep(to) || stopping.aborted) return false;
  return queues.isOpenSeen(STEP_JOBS[to].queue) && !breakers.isTripped(KIND_OF[to]);
}

/**
 * Handles a stop or an error. Past the job's own step, the row moves to its present step's queue, which counts the attempts. At the job's
 * own step the job fails. A missing document copy does not come back by itself, so its row ends at once.
 */
async function leave({ row, step }: RowPosition, error: unknown, jobStep: Step, deps: GoDeps): Promise<DueJob> {
  if (step === 'documents' && isLimitlineError(error, 'NOT_FOUND')) {
    await giveUpRow(row, step, error, deps);
    return dueJobOf(row, 'refused', step, deps);
  }
  if (step === jobStep) throw error;
  if (!isLimitlineError(error, 'STOPPED'))
    deps.log.warn({ reason: messageOf(error) }, 'a row met an unexpected error; the queue of its step tries it again');
  return { is: 'stands', step };
}
