import { BullMQAdapter } from '@bull-board/api/bullMQAdapter';
import { is, isUnfinished } from '../../ledger/schema/row.ts';
import { rowOf } from '../../queue/names.ts';
import type { JobData, QueueName } from '../../queue/queues.ts';
import { ConsoleError } from '../console-app.ts';
import {
  type BoardFunctions,
  type BoardRow,
  whatWaits,
  whoPresses,
  whyItStays,
  whyUnknown,
} from './board-functions.ts';

type Adapter = InstanceType<typeof BullMQAdapter>;
type BoardJob = NonNullable<Awaited<ReturnType<Adapter['getJob']>>>;

/**
 * One queue as the board sees it: read as it is, and changed by nothing but sending one row again, which goes the way of
 * every row. Whatever else the board could ask of it rejects, beside being denied before it comes here (add-board.ts).
 *
 * A job that BullMQ keeps no more is shown as the ledger has its row.
 */
export function boardQueue(name: QueueName, given: BoardFunctions): Adapter {
  const adapter = new BullMQAdapter(given.queues.bullmq[name], {
    description: DESCRIPTIONS[name],
    allowRetries: true,
  });
  const read = adapter.getJob.bind(adapter);
  adapter.getJob = async (id) => {
    const job = await read(id);
    const row = rowOf(id);
    const known = await given.row(row);
    const isHere = known?.queue === name;
    if (job) return withOurRetry(job as BoardJob, given, isHere ? known.state : undefined);
    return isHere ? withOurRetry(jobOf(id, row, known), given, known.state) : undefined;
  };
  // A row is one job: there are no flows, and to look for them would need a producer.
  adapter.getFlowProducer = async () => null;
  for (const change of CHANGES) Object.assign(adapter, { [change]: denied });
  return adapter;
}

const DESCRIPTIONS: Readonly<Record<QueueName, string>> = {
  companies: 'first step of a row: its buyer becomes a company',
  documents: 'second step: its documents are uploaded',
  'buyer-limits': 'last step: its limit is requested',
};

/** All that the board can do to a queue. */
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
 * The job with our way of sending it again in place of BullMQ's, which knows nothing of what was made. Of a row that has ended its job
 * says so, too, though BullMQ writes that a moment later.
 */
function withOurRetry(job: BoardJob, given: BoardFunctions, state: BoardRow['state'] | undefined): BoardJob {
  const told = job.toJSON();
  const id = String(told.id ?? '');
  const ended = state && !isUnfinished(state) ? jobStateOf(state) : undefined;
  return Object.assign(Object.create(job) as BoardJob, {
    getState: async () => ended ?? job.getState(),
    // BullMQ tells of a job what the object itself has, which of this one is nothing.
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
  if (answer.is === 'waits') throw new ConsoleError(409, whatWaits(answer.asked));
  if (answer.is === 'stays') throw new ConsoleError(409, whyItStays(answer.state));
  if (answer.is === 'unknown') throw new ConsoleError(404, whyUnknown(row.key));
}

/** The job that a row has or had, told from the ledger. */
function jobOf(id: string, data: JobData, { job, state, reason, updatedMs }: BoardRow): BoardJob {
  const ended = !isUnfinished(state);
  const told = {
    id,
    name: job,
    data,
    opts: {},
    progress: 0,
    attemptsMade: 0,
    timestamp: updatedMs,
    ...(ended ? { processedOn: updatedMs, finishedOn: updatedMs } : {}),
    // What is there says whether it failed.
    failedReason: is('isFailed', state) ? (reason ?? '') : '',
    stacktrace: [],
    returnvalue: null,
  };
  // The board asks a job for what it says of itself and for its state, and for nothing else that it may.
  return { ...told, toJSON: () => told, getState: async () => jobStateOf(state) } as unknown as BoardJob;
}

/** In BullMQ's words. */
function jobStateOf(state: BoardRow['state']): 'failed' | 'completed' | 'waiting' | 'active' {
  if (is('isFailed', state)) return 'failed';
  if (!isUnfinished(state)) return 'completed';
  return state === 'queued' ? 'waiting' : 'active';
}
