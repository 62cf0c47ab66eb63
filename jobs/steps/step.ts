import { messageOf } from '../../src/errors.ts';
import { causeOf } from '../../src/ledger/counts/cause.ts';
import type { Move } from '../../src/ledger/move-args.ts';
import type { RowAtStep, RowProblem, RowState, Step } from '../../src/ledger/row.ts';
import { type RowId, rowName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import type { Queues } from '../../src/queue/queues.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { STEP_JOBS } from '../rows/step-jobs.ts';
import type { CallDeps, CallOutcome } from './call-once.ts';
import { failureReason } from './failure-reason.ts';
import { problemOf } from './row-problem.ts';
import type { Wish } from './wish.ts';

/** What the jobs of the three steps need. */
export type StepDeps = CallDeps & {
  rows: Rows;
  queues: Queues;
  /** Hears of each row that this process brought to its end at a step. */
  onRowEnd?: ((end: RowEnd) => void) | undefined;
};

/** How a row ended, for counts: `problem` where it did not end well. */
export type RowEnd = { state: RowState; step: Step; problem?: RowProblem | undefined };

/** A row that stands at its step and is worked on, by the revision of its words that was found there. */
type Taken = RowAtStep & { is: 'taken'; row: RowId; step: Step };

/** Somebody else has the row at this very step: they are done soon. */
const ELSEWHERE_WAIT_MS = 150;

/**
 * Takes a row up at a step. Safe to run twice, or on a row that is elsewhere by now: the ledger says where it is, and the job
 * follows it there and ends.
 */
export async function takeUp(row: RowId, step: Step, deps: StepDeps): Promise<Taken | JobEnd> {
  const found = await deps.rows.begin(row, step);
  if (!found) return { is: 'failed', message: `the ledger knows no row ${rowName(row)}; nothing was sent` };
  if (found.state !== step) return follow(row, found.state, deps);
  return { is: 'taken', row, step, ...found };
}

/** Moves a row on from its step to another state, with what the step brought, and hands it to the next queue. */
export async function moveOn(
  { row, step, revision }: Taken,
  to: RowState,
  fields: Move,
  deps: StepDeps,
): Promise<JobEnd> {
  const state = await deps.rows.advance(row, step, to, { ...fields, revision });
  if (state === step) return { is: 'later', waitMs: ELSEWHERE_WAIT_MS };
  if (state === to) deps.onRowEnd?.({ state, step, problem: fields.problem });
  return follow(row, state, deps);
}

/**
 * Ends a step whose call did not bring the thing: the row is refused, held, or waits. A row of a paused portfolio is put
 * back in front of its step and its job ends, since jobs that came again and again to look for a resume would keep the
 * workers from the other portfolios; `feed` gives it another one then. So does that of a row that nobody has approved.
 */
export async function endWithout(
  wish: Pick<Wish, 'what' | 'sent'>,
  outcome: Exclude<CallOutcome, { is: 'made' }>,
  taken: Taken,
  deps: StepDeps,
): Promise<JobEnd> {
  switch (outcome.is) {
    case 'later':
      if (outcome.again === 'resumed') return moveOn(taken, 'queued', {}, deps);
      if (outcome.again === 'approved') return moveOn(taken, 'awaiting', {}, deps);
      return { is: 'later', waitMs: outcome.again };
    case 'moved':
      return letGo(taken, deps);
    default: {
      const problem = problemOf(taken.step, wish, outcome);
      const cause = causeOf(problem, outcome.is, taken.request);
      if (outcome.is === 'unknown') return moveOn(taken, 'held', { problem, cause }, deps);
      return moveOn(taken, 'refused', { problem, cause, answered: outcome.is === 'refused' }, deps);
    }
  }
}

/**
 * Ends a row that met an unexpected fault at every attempt. It is among the refused, where a person sees it and can send
 * it again; what its calls have made stays in the ledger.
 */
export async function giveUpRow(row: RowId, step: Step, error: unknown, { rows, onRowEnd }: StepDeps): Promise<void> {
  const problem = { step, message: `Limitline itself failed at this row: ${messageOf(error)}` };
  const [known] = await rows.read([row]);
  const cause = known && causeOf(problem, 'ours', known.request);
  const state = await rows.advance(row, step, 'refused', { problem, ...(cause ? { cause } : {}) });
  if (state === 'refused') onRowEnd?.({ state, step, problem });
}

/** Nothing was sent for a row that was given up, or has other words by now: it is where the ledger says. */
async function letGo({ row, step }: Taken, deps: StepDeps): Promise<JobEnd> {
  await deps.rows.cancel(row);
  const now = await deps.rows.begin(row, step);
  if (!now || now.state === step) return { is: 'later', waitMs: ELSEWHERE_WAIT_MS };
  return follow(row, now.state, deps);
}

/** Ends a job where its row is now: handed on, done with, or among the failed. */
async function follow(row: RowId, state: RowState | '', deps: StepDeps): Promise<JobEnd> {
  switch (state) {
    case 'company':
    case 'documents':
    case 'limit':
      await deps.queues.handOver({ ...STEP_JOBS[state], data: row });
      return { is: 'finished' };
    case 'refused':
    case 'held': {
      const [result] = await deps.rows.read([row]);
      return { is: 'failed', message: failureReason(state, result) };
    }
    default:
      return { is: 'finished' };
  }
}
