import { z } from 'zod';
import type { UnknownPolicy } from '../src/config.ts';
import { isLimitlineError, messageOf } from '../src/errors.ts';
import type { Ending, Once, Probe } from '../src/ledger/at-most-once.ts';
import type { CallKind } from '../src/ledger/keys.ts';
import type { Portfolios } from '../src/ledger/portfolios.ts';
import { type RowId, rowName } from '../src/ledger/row-id.ts';
import type { RowAtStep, RowFields, RowState, Rows, Step } from '../src/ledger/rows.ts';
import type { Log } from '../src/log.ts';
import type { Pace } from '../src/pace/pace.ts';
import type { Slots } from '../src/pace/slots.ts';
import type { Taken } from '../src/pace/turnstile.ts';
import type { NewJob, QueueName, Queues } from '../src/queue/queues.ts';
import type { JobEnd } from '../src/queue/runner.ts';
import type { CallOptions, ServiceClient } from '../src/service/client.ts';
import type { Answer } from '../src/service/meaning.ts';

/** What the jobs of the three steps need. */
export type StepDeps = {
  rows: Rows;
  portfolios: Portfolios;
  once: Once;
  service: ServiceClient;
  pace: Pace;
  slots: Slots;
  queues: Queues;
  onUnknown: Readonly<Record<CallKind, UnknownPolicy>>;
  log: Log;
  /** Aborted when the process stops: no new call starts from then on. */
  stopping: AbortSignal;
  probe?: Probe | undefined;
  /** Hears of a fault that every row would meet, such as refused credentials. */
  onLineFault: (error: Error) => void;
};

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

/** How a step went on: to another state with what it brought, or not yet. */
export type StepEnd = { to: RowState; fields: RowFields } | { to: undefined; waitMs: number };

/** Somebody else is sending the same call: they are done within a call's time, so look again soon. */
const BUSY_WAIT_MS = 150;
/** Enough of what was sent to find it again at the service. */
const KEPT_SENT_CHARACTERS = 2_000;
/** A paused portfolio's jobs look again this often; `resume` is noticed within it. */
const PAUSED_WAIT_MS = 3_000;
/** Credentials are a person's work: look again at a person's speed, yet soon after they are right. */
const CREDENTIALS_WAIT_MS = 4_000;

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
  if (end.to === undefined) return { is: 'later', waitMs: end.waitMs };
  const state = await deps.rows.advance(row, step, end.to, end.fields);
  deps.probe?.('advanced', row);
  const jobEnd = await follow(row, state, end.fields.problem?.message, deps);
  deps.probe?.('handed over', row);
  return jobEnd;
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

/** One thing that a step wants made at the service. */
export type Wish = {
  kind: CallKind;
  key: string;
  row: RowId;
  buyer: string;
  /** What is sent, for a person who must find out what became of it. */
  sent: string;
  send: (call: CallOptions) => Promise<Answer>;
};

type Turn = Extract<Taken, { is: 'turn' }>;

/**
 * Makes one call of a step: waits for a slot and a turn, gets a token, and goes through the ledger. Throttling, outages
 * and bad credentials are not endings: they stop the line for everybody, and this call waits with it. A turn that went
 * by unused is given up, but only once: a process that is always late must still get on.
 */
export async function callOnce(wish: Wish, deps: StepDeps): Promise<Ending | { is: 'wait'; waitMs: number }> {
  for (let mayBeLate = false; ; mayBeLate = true) {
    const giveSlotBack = await deps.slots.take(deps.stopping);
    try {
      const turn = await deps.pace.take(deps.stopping);
      if (turn.is === 'later') return { is: 'wait', waitMs: turn.waitMs };
      const ending = await callInTurn(wish, { ...turn, isLate: () => !mayBeLate && turn.isLate() }, deps);
      if (ending.is === 'busy' || ending.is === 'cancelled') return { is: 'wait', waitMs: BUSY_WAIT_MS };
      if (ending.is === 'paused') return { is: 'wait', waitMs: PAUSED_WAIT_MS };
      if (ending.is !== 'later') return ending;
    } finally {
      giveSlotBack();
    }
  }
}

async function callInTurn(wish: Wish, { episode, isLate }: Turn, deps: StepDeps): Promise<Ending> {
  const onTokenCall = () => {
    deps.portfolios.count(wish.row.portfolio, 'token').catch((error) => {
      deps.log.warn({ reason: messageOf(error) }, 'a token call could not be counted');
    });
  };
  try {
    await deps.service.authorize(onTokenCall);
    if (isLate()) return { is: 'later', heard: 'the turn went by while the token was got' };
    return await deps.once(wish, {
      onUnknown: deps.onUnknown[wish.kind],
      send: async (first) => {
        const sentAtMs = performance.now();
        const answer = await wish.send({ idempotencyKey: `limitline-${first}`, onTokenCall });
        // A document's time is its size's, and an answer that nobody waited for says nothing of the service's load.
        if (answer.meaning === 'made' && wish.kind !== 'document') {
          deps.slots.answeredAfter(performance.now() - sentAtMs, wish.kind);
        }
        await tellPace(answer, episode, deps);
        return answer;
      },
    });
  } catch (error) {
    if (!isLimitlineError(error, 'CREDENTIALS') && !isLimitlineError(error, 'SERVICE')) throw error;
    const credentials = error.code === 'CREDENTIALS';
    if (credentials) deps.onLineFault(error);
    const askedMs = credentials ? CREDENTIALS_WAIT_MS : 0;
    await deps.pace.block({ why: error.message, because: 'outage', askedMs, episode });
    return { is: 'later', heard: error.message };
  }
}

/** Tells the pace what an answer says of it: slow down, nobody there, or all well. */
async function tellPace(answer: Answer, episode: number, { pace }: StepDeps): Promise<void> {
  switch (answer.meaning) {
    case 'throttled': {
      const { status, headers } = answer;
      if (status === 429) return pace.block({ why: 'the service says too fast', because: 'limit', headers, episode });
      const why = `the service is not available (status ${status})`;
      return pace.block({ why, because: 'outage', headers, episode });
    }
    case 'unreachable':
      return pace.block({ why: `the service is not answering (${answer.heard})`, because: 'outage', episode });
    case 'unknown':
      return;
    default:
      return pace.answered(answer.headers);
  }
}

/**
 * Ends a row that met an unexpected fault at every attempt. It is among the refused, where a person sees it and can send
 * it again; what its calls have made stays in the ledger.
 */
export async function giveUpRow(row: RowId, step: Step, error: unknown, { rows }: StepDeps): Promise<void> {
  const problem = { step, message: `Limitline itself failed at this row: ${messageOf(error)}` };
  await rows.advance(row, step, 'refused', { problem });
}

/** Ends a step whose call did not bring the thing: the row is refused, held, or waits. */
export function endWithout(
  step: Step,
  wish: { what: string; sent: string },
  ending: Exclude<Ending, { is: 'made' }> | { is: 'wait'; waitMs: number },
): StepEnd {
  switch (ending.is) {
    case 'refused': {
      const message = `The service refused ${wish.what} with status ${ending.status}`;
      const problem = { step, message, status: ending.status, body: ending.body };
      return { to: 'refused', fields: { problem, answered: true } };
    }
    case 'unknown': {
      const sentAt = ending.sentMs > 0 ? `sent ${new Date(ending.sentMs).toISOString()}, then ` : '';
      const message = `It is unknown whether ${wish.what} was made: ${sentAt}${ending.heard}`;
      return { to: 'held', fields: { problem: { step, message, sent: wish.sent.slice(0, KEPT_SENT_CHARACTERS) } } };
    }
    case 'wait':
      return { to: undefined, waitMs: ending.waitMs };
    default:
      return { to: undefined, waitMs: BUSY_WAIT_MS };
  }
}
