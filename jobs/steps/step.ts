import { messageOf } from '../../src/errors.ts';
import { answerWords } from '../../src/ledger/counts/answer-words.ts';
import { causeOf } from '../../src/ledger/counts/cause.ts';
import { GIVEN_UP, isPending } from '../../src/ledger/portfolios/portfolio.ts';
import type { Move } from '../../src/ledger/rows/row-moves.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { isStep, type RowAtStep, type RowProblem, type RowState, type Step } from '../../src/ledger/schema/row.ts';
import { type RowId, rowName } from '../../src/ledger/schema/schema.ts';
import type { Queues } from '../../src/queue/queues.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { parseRowPayload, STEP_JOBS, SUPPLIER_JOB } from '../rows/feed.ts';
import { type CallDeps, type CallEnding, callOnce } from './call-once.ts';
import type { CallRequest } from './call-request.ts';
import { reallySent } from './really-sent.ts';
import type { RowPosition } from './row-position.ts';
import { failureReason, rowProblemOf } from './row-problem.ts';

/** What the jobs of the three steps need. */
export type StepDeps = CallDeps & { rows: Rows; queues: Queues; onRowEnd?: ((end: RowEnd) => void) | undefined };

/** How a row ended, for counts. `problem` is set unless the row ended well. */
export type RowEnd = { state: RowState; step: Step; problem?: RowProblem | undefined };

/** A row that a job took up at this step, with its revision there. */
type Taken = Pick<RowPosition, 'row' | 'step' | 'revision' | 'request'>;

/** The job that a row needs next: none (`over`), one of `step` now (`stands`) or `later`, or a failed one of `step`, where the row failed. */
export type DueJob =
  | { is: 'over' }
  | { is: 'stands'; step: Step }
  | { is: 'later'; step: Step; waitMs: number }
  | { is: 'failed'; step: Step; message: string };

/** How long a job waits if another job, which ends soon, has its row. */
const ELSEWHERE_WAIT_MS = 150;

/** Takes a row up at a step. Safe to repeat, and safe if the row has moved: the job follows the ledger's state and ends. */
export async function takeUp(
  row: RowId,
  step: Step,
  deps: StepDeps,
): Promise<(RowAtStep & { is: 'taken'; row: RowId; step: Step }) | DueJob> {
  const found = await deps.rows.begin(row, step);
  if (!found) return { is: 'failed', step, message: `the ledger knows no row ${rowName(row)}; nothing was sent` };
  if (found.state !== step) return dueJobOf(row, found.state, step, deps);
  return { is: 'taken', row, step, ...found };
}

/** Moves a row from its step to another state, with the step's results, and returns the state afterwards. */
export async function advance(
  { row, step, revision }: Taken,
  to: RowState,
  fields: Move,
  deps: StepDeps,
): Promise<RowState | ''> {
  const state = await deps.rows.advance(row, step, to, { ...fields, revision });
  if (state === to) deps.onRowEnd?.({ state, step, problem: fields.problem });
  return state;
}

async function moveOn(taken: Taken, to: RowState, fields: Move, deps: StepDeps): Promise<DueJob> {
  const state = await advance(taken, to, fields, deps);
  return state === taken.step ? elsewhere(taken) : dueJobOf(taken.row, state, taken.step, deps);
}

/** The next job if another job has the row at this step. */
export function elsewhere({ step }: Pick<Taken, 'step'>): DueJob {
  return { is: 'later', step, waitMs: ELSEWHERE_WAIT_MS };
}

/**
 * Ends a step whose call did not succeed: the row is refused, held, or waits. An unapproved row, or a row of a paused portfolio, goes back
 * before its step and its job ends, since jobs that poll would block the workers. `feed` makes a new job after the approval or resume.
 */
export async function endWithout(
  request: Pick<CallRequest, 'kind' | 'what' | 'sent'>,
  outcome: Exclude<CallEnding, { is: 'made' }>,
  taken: Taken,
  deps: StepDeps,
): Promise<DueJob> {
  switch (outcome.is) {
    case 'later':
      if (outcome.again === 'resumed') return moveOn(taken, 'queued', {}, deps);
      if (outcome.again === 'approved') return moveOn(taken, 'awaiting', {}, deps);
      return { is: 'later', step: taken.step, waitMs: outcome.again };
    case 'moved':
      return letGo(taken, deps);
    default: {
      const sent = await reallySent(request, outcome, deps);
      const problem = rowProblemOf(taken.step, { ...request, sent }, outcome);
      const cause = causeOf(problem, outcome.is, taken.request);
      if (outcome.is === 'unknown') {
        return moveOn(taken, 'held', { problem, cause, ...(outcome.isOthers ? { answered: 'not ours' } : {}) }, deps);
      }
      return moveOn(taken, 'refused', { problem, cause, answered: outcome.is === 'refused' }, deps);
    }
  }
}

/**
 * Ends a row whose every attempt met an unexpected error. The row becomes refused, so that a person sees it and can retry it. The ledger
 * keeps what its calls made.
 */
export async function giveUpRow(row: RowId, step: Step, error: unknown, { rows, onRowEnd }: StepDeps): Promise<void> {
  const problem = { step, message: `Limitline itself failed at this row: ${messageOf(error)}` };
  const [known] = await rows.read([row]);
  const cause = known && causeOf(problem, 'ours', known.request);
  const state = await rows.advance(row, step, 'refused', { problem, ...(cause ? { cause } : {}) });
  if (state === 'refused') onRowEnd?.({ state, step, problem });
}

/**
 * Ends the job of a row for which nothing was sent, because the row was cancelled or changed meanwhile. Returns the next job for the row's
 * present state.
 */
async function letGo({ row, step }: Taken, deps: StepDeps): Promise<DueJob> {
  await deps.rows.cancel(row);
  const now = await deps.rows.begin(row, step);
  if (!now || now.state === step) return elsewhere({ step });
  return dueJobOf(row, now.state, step, deps);
}

/** The next job for a row's state; for a failed row with the step at which it failed. */
export async function dueJobOf(row: RowId, state: RowState | '', step: Step, deps: StepDeps): Promise<DueJob> {
  if (state !== '' && isStep(state)) return { is: 'stands', step: state };
  if (state !== 'refused' && state !== 'held') return { is: 'over' };
  const [result] = await deps.rows.read([row]);
  return { is: 'failed', step: result?.step ?? step, message: failureReason(state, result, row.portfolio) };
}

/**
 * Ends the row's job of `jobStep`. If the row is at another step, that step's queue gets a job: due now, due later, or failed, where an
 * operator can retry it.
 */
export async function endJob(row: RowId, due: DueJob, jobStep: Step, { queues }: StepDeps): Promise<JobEnd> {
  if (due.is === 'over') return { is: 'finished' };
  const { step } = due;
  const job = { ...STEP_JOBS[step], data: row };
  switch (due.is) {
    case 'stands':
      if (step === jobStep) return { is: 'later', waitMs: ELSEWHERE_WAIT_MS };
      await queues.handOver(job);
      return { is: 'finished' };
    case 'later':
      if (step === jobStep) return { is: 'later', waitMs: due.waitMs };
      await queues.handOver(job, { delayMs: due.waitMs });
      return { is: 'finished' };
    case 'failed':
      if (step === jobStep) return { is: 'failed', message: due.message };
      await queues.handOver(job, { failed: due.message });
      return { is: 'finished' };
  }
}

/**
 * The supplier's problem if another portfolio's approver declined it. In this portfolio nobody would be asked, so the rows go on without
 * the supplier's company.
 */
const DECLINED_ELSEWHERE =
  'declined in another portfolio, and not created; to ask for the supplier again, import a file into this portfolio with --supplier';

/**
 * Job before a portfolio's rows: makes a company of their supplier (docs/service.md, "Order of calls"), once for all portfolios that name
 * it. Stores the company's id on the portfolio, or why there is none. Rows go on without an id, too.
 */
export const createSupplier = {
  ...SUPPLIER_JOB,
  parse: parseRowPayload,

  async run(row: RowId, deps: StepDeps): Promise<JobEnd> {
    const { supplier } = await deps.portfolios.read(row.portfolio);
    if (!supplier?.body || !supplier.key || !isPending(supplier)) return { is: 'finished' };
    const { body, key } = supplier;
    const request: CallRequest = {
      kind: 'company',
      key,
      row,
      buyer: key,
      what: 'the supplier',
      sent: JSON.stringify(body),
      supplier: JSON.stringify(body),
      body,
    };
    const outcome = await callOnce(request, deps);
    switch (outcome.is) {
      case 'made':
        await deps.portfolios.endSupplier(row.portfolio, { body, key, id: outcome.id });
        return { is: 'finished' };
      case 'later':
        if (outcome.again === 'approved' && (await isDeclinedElsewhere(row.portfolio, key, deps))) {
          await deps.portfolios.endSupplier(row.portfolio, { body, key, problem: DECLINED_ELSEWHERE });
          return { is: 'finished' };
        }
        // The feeder makes this job again when the portfolio is resumed or its import approved.
        return typeof outcome.again === 'string' ? { is: 'finished' } : { is: 'later', waitMs: outcome.again };
      case 'moved':
        await deps.portfolios.endSupplier(row.portfolio, { body, key, problem: GIVEN_UP });
        return { is: 'finished' };
      default: {
        const { message } = rowProblemOf('company', request, outcome);
        const problem = outcome.is === 'refused' ? refusedWords(message, outcome.body, row) : message;
        await deps.portfolios.endSupplier(row.portfolio, { body, key, problem });
        // BullMQ must not keep names of people; the portfolio has the full text.
        return { is: 'failed', message: 'no company could be made for the supplier of this portfolio' };
      }
    }
  },

  async giveUp({ portfolio }: RowId, error: unknown, { portfolios }: StepDeps): Promise<void> {
    const { supplier } = await portfolios.read(portfolio);
    const problem = `Limitline itself failed at the supplier: ${messageOf(error)}`;
    if (supplier?.key) await portfolios.endSupplier(portfolio, { ...supplier, key: supplier.key, problem });
  },
};

/**
 * Whether another portfolio's approver declined this supplier and no approval is open in this portfolio. Reads both from the ledger now,
 * since a yes may have come meanwhile.
 */
async function isDeclinedElsewhere(portfolio: string, key: string, { portfolios }: StepDeps): Promise<boolean> {
  return (await portfolios.isSupplierDeclined(key)) && !(await portfolios.read(portfolio)).supplierAwaits;
}

/** The service's refusal, and the command for another attempt. `retry` does not help: it only sends refused rows. */
function refusedWords(message: string, body: string, { portfolio }: RowId): string {
  const said = answerWords(body).slice(0, MOST_SAID).toWellFormed();
  return `${message}${said === '' ? '' : `: ${said}`}. To ask for the supplier again, import a file into the portfolio with --supplier: npx limitline run FILE --portfolio "${portfolio}" --supplier FILE`;
}

/** The most characters of the response body that the supplier's problem quotes, as many as in a row's cause. */
const MOST_SAID = 200;
