import { z } from 'zod';
import { messageOf } from '../../src/errors.ts';
import type { Probe } from '../../src/ledger/at-most-once.ts';
import type { RowAtStep, RowFields, RowProblem, RowState, Step } from '../../src/ledger/row.ts';
import { type RowId, rowName } from '../../src/ledger/row-id.ts';
import type { Rows } from '../../src/ledger/rows.ts';
import type { NewJob, QueueName, Queues } from '../../src/queue/queues.ts';
import type { JobEnd } from '../../src/queue/runner.ts';
import { isWebPage } from '../../src/service/web-page.ts';
import type { CallDeps, CallEnd } from './call-once.ts';

/** What the jobs of the three steps need. */
export type StepDeps = CallDeps & {
  rows: Rows;
  queues: Queues;
  probe?: Probe | undefined;
  /** Hears of each row that this process brought to its end at a step. */
  onRowEnd?: ((end: RowEnd) => void) | undefined;
};

/** How a row ended, for counts: `problem` where it did not end well. */
export type RowEnd = { state: RowState; step: Step; problem?: RowProblem | undefined };

/** Which queue and which job a step belongs to. */
export const STEP_JOBS = {
  company: { queue: 'companies', name: 'create-company' },
  documents: { queue: 'documents', name: 'upload-documents' },
  limit: { queue: 'buyer-limits', name: 'submit-buyer-limit' },
} as const satisfies Record<Step, { queue: QueueName; name: string }>;

/** The supplier's job stands among the companies, under this name instead of a row's key. */
export function supplierJob(portfolio: string): NewJob {
  return { queue: 'companies', name: 'create-supplier', data: { portfolio, key: 'supplier' } };
}

const payloadSchema = z.object({ portfolio: z.string().min(1), key: z.string().min(1) });

/** The payload of every step's job: the row it is for. */
export function parseRowPayload(data: unknown): RowId {
  return payloadSchema.parse(data);
}

/** How a step went on: to another state with what it brought, not yet, or not at all since the row was moved meanwhile. */
export type StepEnd = { to: RowState; fields: RowFields } | { to: 'later'; waitMs: number } | { to: 'elsewhere' };

/** Somebody else has the row at this very step: they are done soon. */
const ELSEWHERE_WAIT_MS = 150;

/** Enough of what was sent to find it again at the service. */
const KEPT_SENT_CHARACTERS = 2_000;

/**
 * Runs one step of one row: takes the row up, does the step's work, moves the row on, and hands it to the next queue.
 * Safe to run twice, or on a row that is elsewhere by now: the ledger says where it is, and the job follows.
 */
export async function runStep(
  row: RowId,
  step: Step,
  deps: StepDeps,
  work: (found: RowAtStep) => Promise<StepEnd>,
): Promise<JobEnd> {
  const found = await deps.rows.begin(row, step);
  if (!found) return { is: 'failed', message: `The ledger knows no row ${rowName(row)}; nothing was sent.` };
  if (found.state !== step) return follow(row, found.state, found.problem?.message, deps);
  const end = await work(found);
  if (end.to === 'later') return { is: 'later', waitMs: end.waitMs };
  if (end.to === 'elsewhere') return letGo(row, step, deps);
  const { revision } = found;
  const state = await deps.rows.advance(row, step, end.to, { ...end.fields, revision });
  deps.probe?.('advanced', row);
  if (state === step) return { is: 'later', waitMs: ELSEWHERE_WAIT_MS };
  if (state === end.to) deps.onRowEnd?.({ state, step, problem: end.fields.problem });
  const jobEnd = await follow(row, state, end.fields.problem?.message, deps);
  deps.probe?.('handed over', row);
  return jobEnd;
}

/** Nothing was sent for a row that was given up, or has other words by now: it is where the ledger says. */
async function letGo(row: RowId, step: Step, deps: StepDeps): Promise<JobEnd> {
  await deps.rows.cancel(row);
  const now = await deps.rows.begin(row, step);
  if (!now || now.state === step) return { is: 'later', waitMs: ELSEWHERE_WAIT_MS };
  return follow(row, now.state, now.problem?.message, deps);
}

/** Ends a job where its row is now: handed on, done with, or among the failed. */
async function follow(row: RowId, state: RowState | '', problem: string | undefined, deps: StepDeps): Promise<JobEnd> {
  switch (state) {
    case 'company':
    case 'documents':
    case 'limit':
      await deps.queues.handOver({ ...STEP_JOBS[state], data: row });
      return { is: 'finished' };
    case 'refused':
      return { is: 'failed', message: problem ?? 'The service refused it.' };
    case 'held':
      return {
        is: 'failed',
        message: `Held: ${problem ?? 'the outcome of its call is unknown'}. Sending it again here does nothing; say what became of it with: npx limitline resolve`,
      };
    default:
      return { is: 'finished' };
  }
}

/**
 * Ends a row that met an unexpected fault at every attempt. It is among the refused, where a person sees it and can send
 * it again; what its calls have made stays in the ledger.
 */
export async function giveUpRow(row: RowId, step: Step, error: unknown, { rows, onRowEnd }: StepDeps): Promise<void> {
  const problem = { step, message: `Limitline itself failed at this row: ${messageOf(error)}` };
  const state = await rows.advance(row, step, 'refused', { problem });
  if (state === 'refused') onRowEnd?.({ state, step, problem });
}

/**
 * Ends a step whose call did not bring the thing: the row is refused, held, or waits. A row of a paused portfolio is put
 * back in front of its step and its job ends, since jobs that came again and again to look for a resume would keep the
 * workers from the other portfolios; `feed` gives it another one then.
 */
export function endWithout(
  step: Step,
  wish: { what: string; sent: string },
  ending: Exclude<CallEnd, { is: 'made' }>,
): StepEnd {
  switch (ending.is) {
    case 'refused': {
      const page = isWebPage(ending.body)
        ? ' and a web page: check that SERVICE_URL is the address of the service'
        : '';
      const message = `The service refused ${wish.what} with status ${ending.status}${page}`;
      const problem = { step, message, status: ending.status, body: ending.body };
      return { to: 'refused', fields: { problem, answered: true } };
    }
    case 'unknown': {
      const sentAt = ending.sentMs > 0 ? `sent ${new Date(ending.sentMs).toISOString()}, then ` : '';
      const message = `It is unknown whether ${wish.what} was made: ${sentAt}${ending.heard}`;
      return { to: 'held', fields: { problem: { step, message, sent: wish.sent.slice(0, KEPT_SENT_CHARACTERS) } } };
    }
    case 'paused':
      return { to: 'queued', fields: {} };
    case 'other': {
      const message = `changed after it was requested: ${wish.what} was made for another line of this name, for another buyer or amount (${ending.id}); give this line a request_reference of its own`;
      return { to: 'refused', fields: { problem: { step, message } } };
    }
    case 'put off': {
      const message = `The service put ${wish.what} off ${ending.times} times (${ending.heard}) while others of this step passed`;
      return { to: 'refused', fields: { problem: { step, message } } };
    }
    case 'wait':
      return { to: 'later', waitMs: ending.waitMs };
    case 'moved':
      return { to: 'elsewhere' };
  }
}
