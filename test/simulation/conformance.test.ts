import { Queue, UnrecoverableError, Worker } from 'bullmq';
import fc from 'fast-check';
import { onTestFinished, test } from 'vitest';
import { connectRedis, freshPrefix } from '../support/ledger.ts';
import { redisPlace } from '../support/redis/own-database.ts';
import { makeQueueBoard } from './doubles/queue-board.ts';

/** An action on a queue, for one of its jobs. */
type Act = {
  is: 'add' | 'add first' | 'take' | 'complete' | 'fail' | 'fail for good' | 'put back' | 'remove' | 'retry';
  id: string;
};

const ATTEMPTS = 2;
const ids = ['a/1', 'a/2', 'a/3'];

/** One queue of either kind. Each action returns its result; `states` returns the states of all jobs afterwards. */
type Tried = { act: (act: Act) => Promise<unknown>; states: () => Promise<string[]> };

function makeDouble(): Tried {
  const record = makeQueueBoard({ nowMs: 0, seed: '', wake: () => {} }).queue('q', 'q');
  const token = 'ann 1';
  const acts: Record<Act['is'], (id: string) => unknown> = {
    add: (id) => record.add('job', {}, { jobId: id, attempts: ATTEMPTS }),
    'add first': (id) => record.add('job', {}, { jobId: id, attempts: ATTEMPTS, lifo: true }),
    take: () => record.take(token)?.id ?? 'none',
    complete: (id) => record.complete(id, token),
    fail: (id) => {
      record.fail(id, token, 'why', false);
      record.promote();
    },
    'fail for good': (id) => record.fail(id, token, 'why', true),
    'put back': (id) => record.putBack(id, token),
    remove: (id) => record.remove(id),
    retry: (id) => record.retry(id),
  };
  return {
    act: async ({ is, id }) => tried(() => acts[is](id)),
    states: async () => ids.map((id) => record.stateOf(id)),
  };
}

function makeReal(): Tried {
  const connection = connectRedis();
  const prefix = freshPrefix();
  const options = { attempts: ATTEMPTS, removeOnComplete: true };
  const queue = new Queue('q', { connection, prefix });
  const worker = new Worker('q', null, {
    connection: { ...redisPlace(), maxRetriesPerRequest: null },
    prefix,
    autorun: false,
  });
  onTestFinished(async () => {
    await worker.close();
    await queue.close();
  });
  const token = 'ann 1';
  const one = async (id: string) => {
    const job = await queue.getJob(id);
    if (!job) throw new Error(`no job ${id}`);
    return job;
  };
  const acts: Record<Act['is'], (id: string) => Promise<unknown>> = {
    add: (id) => queue.add('job', {}, { ...options, jobId: id }),
    'add first': (id) => queue.add('job', {}, { ...options, jobId: id, lifo: true }),
    take: async () => (await worker.getNextJob(token, { block: false }))?.id ?? 'none',
    complete: async (id) => (await one(id)).moveToCompleted('', token, false),
    fail: async (id) => (await one(id)).moveToFailed(new Error('why'), token, false),
    'fail for good': async (id) => (await one(id)).moveToFailed(new UnrecoverableError('why'), token, false),
    'put back': async (id) => (await one(id)).moveToWait(token),
    remove: (id) => queue.remove(id),
    retry: async (id) => {
      const job = await one(id);
      if (await job.isFailed()) await job.retry('failed');
    },
  };
  return {
    act: ({ is, id }) => tried(() => acts[is](id)),
    states: () => Promise.all(ids.map((id) => queue.getJobState(id))),
  };
}

/** The result of an action: the job that was taken, or that the action was impossible. */
async function tried(run: () => unknown): Promise<string> {
  try {
    const came = await run();
    return typeof came === 'string' && came.length > 0 ? came : 'done';
  } catch {
    return 'not possible';
  }
}

const act = fc.record({
  is: fc.constantFrom<Act['is']>(
    'add',
    'add',
    'add first',
    'take',
    'take',
    'complete',
    'fail',
    'fail for good',
    'put back',
    'remove',
    'retry',
  ),
  id: fc.constantFrom(...ids),
});

test('after any actions on a queue, its double has the same jobs in the same states and hands out the same jobs', async () => {
  const same = fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
    const [double, real] = [makeDouble(), makeReal()];
    for (const one of acts) {
      const answers = [await double.act(one), await real.act(one)];
      const isAsked = one.is === 'take' || one.is === 'complete' || one.is.startsWith('fail') || one.is === 'put back';
      if (isAsked && answers[0] !== answers[1]) throw new Error(`${one.is} ${one.id}: ${answers.join(' / ')}`);
      const [ours, theirs] = [await double.states(), await real.states()];
      if (ours.join() !== theirs.join()) throw new Error(`behind ${one.is} ${one.id}: ${ours} / ${theirs}`);
    }
  });
  await fc.assert(same, { numRuns: 40, seed: 26 });
});
