import { AsyncLocalStorage } from 'node:async_hooks';
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import type { AskedFor } from '../../ledger/approvals/approval-look.ts';
import { is, isUnfinished, type RowState } from '../../ledger/schema/row.ts';
import { STATES } from '../../ledger/schema/schema.ts';
import { rowOf } from '../../queue/queue-looks.ts';
import type { JobData, QueueName, Queues } from '../../queue/queues.ts';
import { ConsoleError } from '../console-app.ts';
import { t } from '../html/html.ts';

type Adapter = InstanceType<typeof BullMQAdapter>;
type BoardJob = NonNullable<Awaited<ReturnType<Adapter['getJob']>>>;

/**
 * A queue as the board sees it: it can be read, and single rows can be retried by Limitline's own function. All other changes are
 * denied twice: by the board's routes (add-board.ts), and by this adapter, whose functions reject. A job that BullMQ has dropped
 * is shown from the ledger's row.
 */
export function boardQueue(name: QueueName, given: BoardFunctions): Adapter {
  const adapter = new BullMQAdapter(given.queues.bullmq[name], { description: DESCRIPTIONS[name], allowRetries: true });
  const read = adapter.getJob.bind(adapter);
  adapter.getJob = async (id) => {
    const job = await read(id);
    const row = rowOf(id);
    const known = await given.row(row);
    const isHere = known?.queue === name;
    if (job) return withOurRetry(job as BoardJob, given, isHere ? known.state : undefined);
    return isHere ? withOurRetry(jobOf(id, row, known), given, known.state) : undefined;
  };
  // Each row is a single job. So the board gets no producer of flows, which are BullMQ's jobs with child jobs.
  adapter.getFlowProducer = async () => null;
  for (const change of CHANGES) Object.assign(adapter, { [change]: denied });
  return adapter;
}

const DESCRIPTIONS: Readonly<Record<QueueName, string>> = {
  companies: 'first step of a row: its buyer becomes a company',
  documents: 'second step: its documents are uploaded',
  'buyer-limits': 'last step: its limit is requested',
};

/** All functions of the adapter that change a queue. */
const CHANGES = [
  'clean',
  'addJob',
  'pause',
  'resume',
  'empty',
  'obliterate',
  'promoteAll',
  'removeJobScheduler',
  'runJobSchedulerNow',
  'updateJobScheduler',
  'setGlobalConcurrency',
  'setConfiguredRateLimit',
  'removeConfiguredRateLimit',
  'releaseActiveRateLimit',
] as const satisfies readonly (keyof Adapter)[];

const denied = async (): Promise<never> => {
  throw new ConsoleError(403, 'This may not be done on the board.');
};

/**
 * The job with Limitline's retry instead of BullMQ's, which knows nothing of finished calls. The job of an ended row shows as
 * ended at once, though BullMQ records that a moment later.
 */
function withOurRetry(job: BoardJob, given: BoardFunctions, state: BoardRow['state'] | undefined): BoardJob {
  const told = job.toJSON();
  const id = String(told.id ?? '');
  const ended = state && !isUnfinished(state) ? jobStateOf(state) : undefined;
  return Object.assign(Object.create(job) as BoardJob, {
    getState: async () => ended ?? job.getState(),
    // BullMQ's `toJSON` reads fields of the job itself. This wrapper only inherits them, so it answers JSON that was read from the job.
    toJSON: () => told,
    retry: () => retry(rowOf(id), given, whoPresses()),
    promote: denied,
    remove: denied,
    updateData: denied,
    changeDelay: denied,
    changePriority: denied,
    removeUnprocessedChildren: denied,
  });
}

async function retry(row: JobData, given: BoardFunctions, by: string): Promise<void> {
  const answer = await given.retry(row, by);
  if (answer.is === 'waits') throw new ConsoleError(409, waitsWords(answer.asked));
  if (answer.is === 'stays') throw new ConsoleError(409, whyItStays(answer.state));
  if (answer.is === 'unknown') throw new ConsoleError(404, whyUnknown(row.key));
}

function jobOf(id: string, data: JobData, { job, state, reason, sinceMs }: BoardRow): BoardJob {
  const ended = !isUnfinished(state);
  const told = {
    id,
    name: job,
    data,
    opts: {},
    progress: 0,
    attemptsMade: 0,
    timestamp: sinceMs,
    ...(ended ? { processedOn: sinceMs, finishedOn: sinceMs } : {}),
    // The board shows a job as failed if this text is not empty.
    failedReason: is('isFailed', state) ? (reason ?? '') : '',
    stacktrace: [],
    returnvalue: null,
  };
  // These members are enough for a job made from a row: the board asks it for its JSON and its state alone.
  return { ...told, toJSON: () => told, getState: async () => jobStateOf(state) } as unknown as BoardJob;
}

function jobStateOf(state: BoardRow['state']): 'failed' | 'completed' | 'waiting' | 'active' {
  if (is('isFailed', state)) return 'failed';
  if (!isUnfinished(state)) return 'completed';
  return state === 'queued' ? 'waiting' : 'active';
}

/**
 * A row from which the board makes a job once BullMQ has dropped the row's own. `queue` is the queue of the row's step; for an
 * ended row, the one in which it ended.
 */
type BoardRow = {
  queue: QueueName;
  /** The job's name for the row's step. */
  job: string;
  state: RowState;
  /** Line and cause of a failed row; nothing about the buyer. */
  reason: string | undefined;
  sinceMs: number;
};

export type RowRetried =
  | { is: 'again' }
  | { is: 'waits'; asked: AskedFor }
  | { is: 'stays'; state: RowState }
  | { is: 'unknown' };

export type BoardFunctions = {
  /** Whether there is a board; without it, its addresses do not exist. */
  isOn: boolean;
  queues: Pick<Queues, 'bullmq'>;
  /** Reads a row from the ledger, as the board shows it; undefined where the ledger does not know it. */
  row: (row: JobData) => Promise<BoardRow | undefined>;
  /** Retries a refused row, or says why not, or which approval it waits for. `by` is the person. */
  retry: (row: JobData, by: string) => Promise<RowRetried>;
  /** Called with errors that are not the person's fault. */
  onFault: (error: unknown) => void;
};

function waitsWords({ approval, why = '' }: AskedFor): string {
  return `Sending it again needs another person’s approval, for which it waits now: /approvals/${approval}. Nothing was sent. ${why}`.trimEnd();
}

/** Why a row in this state is not retried, and what to do. */
export function whyItStays(state: RowState): string {
  const means = STATES[state];
  return 'stays' in means
    ? `${means.stays} Nothing was sent.`
    : 'The row is under way and goes on by itself. Nothing was sent again.';
}

/** Why a row is not sent again: its state or request has changed since the person loaded the page. */
export const CHANGED_SINCE = t`The row has changed since this page was made. Nothing was sent. Load the page again.`;

export function whyUnknown(key: string): string {
  return key === 'supplier'
    ? 'This is the supplier of a portfolio and no row: import the file again with --supplier to ask for it again. Nothing was sent.'
    : 'The ledger knows no such row. Nothing was sent.';
}

const pressing = new AsyncLocalStorage<string>();

/** Runs `act` in the name of this person, since the board's own functions do not get the request. */
export function pressedBy(by: string, act: () => void): void {
  pressing.run(by, act);
}

/** The person who uses the board. @throws TypeError outside a request of the board */
function whoPresses(): string {
  const by = pressing.getStore();
  if (by === undefined) throw new TypeError('The board does not know which person sends a row again.');
  return by;
}
