import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { LimitlineError } from '../../src/errors.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makeQueues } from '../../src/queue/queues.ts';
import { type JobEnd, makeRunner } from '../../src/queue/runner.ts';
import { makeConnections } from '../../src/redis/connect.ts';
import { parseRedisUrl } from '../../src/redis/redis-url.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';
import { makeServerFixture } from '../support/redis/server-fixture.ts';
import { makeKeptLog } from '../support/workplace.ts';

const data = { portfolio: 'q4', key: 'row-1' };
const job = { queue: 'companies', name: 'test-job', data } as const;

function openQueues() {
  const prefix = freshPrefix();
  const connection = connectRedis();
  const prefixOf = (queue: string) => `{${prefix}:${queue}}`;
  const queues = makeQueues({ connection, prefixOf });
  onTestFinished(() => queues.close());
  const start = (run: () => Promise<JobEnd>, giveUp = async () => {}) => {
    const runner = makeRunner({
      connection: connectRedis(),
      queue: 'companies',
      prefix: prefixOf('companies'),
      concurrency: 4,
      jobs: [{ name: 'test-job', run, giveUp }],
      onDrained: () => {},
      log: makeSilentLog(),
    });
    onTestFinished(() => runner.close(true));
    return runner;
  };
  const key = `${prefixOf('companies')}:companies`;
  return { queues, start, connection, key };
}

test('a job that exists is not added twice', async () => {
  const { queues } = openQueues();
  await queues.add([job, job]);
  await queues.handOver(job);
  expect(await queues.depth()).toBe(1);
});

test('a finished job is deleted, so that its row can be queued again', async () => {
  const { queues, start } = openQueues();
  let runs = 0;
  start(async () => {
    runs += 1;
    return { is: 'finished' };
  });
  await queues.add([job]);
  await expect.poll(() => runs).toBe(1);
  await expect
    .poll(async () => {
      await queues.add([job]);
      return runs;
    })
    .toBeGreaterThan(1);
});

test('"later" brings the job back without counting an attempt', async () => {
  const { queues, start, connection, key } = openQueues();
  let runs = 0;
  start(async () => {
    runs += 1;
    return runs <= 12 ? { is: 'later', waitMs: 1 } : { is: 'failed', message: 'enough' };
  });
  await queues.add([job]);
  await expect.poll(async () => connection.zcard(`${key}:failed`)).toBe(1);
  expect(runs).toBe(13);
  expect(await connection.hget(`${key}:q4/row-1`, 'failedReason')).toBe('enough');
});

test('an unexpected error stores its class with the job, but neither its message nor its trace', async () => {
  const { queues, start, connection, key } = openQueues();
  start(async () => JSON.parse('{"name": geheim}'));
  await queues.add([job]);
  const kept = () => connection.hmget(`${key}:q4/row-1`, 'failedReason', 'stacktrace');
  await expect.poll(kept).toEqual(['Limitline itself failed here (SyntaxError); see its log', '[]']);
});

test('a failed job stays until it is forgotten, and can then be added again', async () => {
  const { queues, start, connection, key } = openQueues();
  let end: JobEnd = { is: 'failed', message: 'no' };
  start(async () => end);
  await queues.add([job]);
  await expect.poll(async () => connection.zcard(`${key}:failed`)).toBe(1);
  end = { is: 'finished' };
  await queues.add([job]);
  expect(await connection.zcard(`${key}:failed`)).toBe(1);
  await queues.forget([data]);
  expect(await connection.exists(`${key}:q4/row-1`)).toBe(0);
  await queues.add([job]);
  await expect.poll(async () => connection.exists(`${key}:q4/row-1`)).toBe(0);
});

test('a row whose job only waited when the process stopped returns to its queue', async () => {
  const { queues, start } = openQueues();
  const stopping = new AbortController();
  let begun = false;
  const runner = start(async () => {
    begun = true;
    // A paused worker may get one more job by a read that was under way; that job ends in the same way.
    if (!stopping.signal.aborted) await once(stopping.signal, 'abort');
    throw new LimitlineError('STOPPED', 'stopping');
  });
  await queues.add([job]);
  await expect.poll(() => begun).toBe(true);
  await runner.pause();
  stopping.abort();
  await runner.close(false);
  expect(await queues.depth()).toBe(1);
  let runs = 0;
  start(async () => {
    runs += 1;
    return { is: 'finished' };
  });
  await expect.poll(() => runs).toBe(1);
});

test.each([
  { lacks: 'bzpopmin', words: "'bzpopmin'" },
  { lacks: 'rpoplpush', words: "ERR The user executing the script can't run this command" },
])('a missing right without which no job is taken up is said once: $lacks', async ({ lacks, words }) => {
  const fixture = makeServerFixture();
  onTestFinished(() => fixture.clean());
  const { port } = await fixture.start([`user narrow on >secret ~* &* +@all -${lacks}`]);
  const target = parseRedisUrl(`redis://narrow:secret@127.0.0.1:${port}`);
  const connections = makeConnections({ target, where: 'here', log: makeSilentLog() });
  onTestFinished(() => connections.close());
  const { log, lines } = makeKeptLog();
  await makeQueues({ connection: connections.connect('queue'), prefixOf: () => '{narrow}' }).add([job]);
  const runner = makeRunner({
    connection: connections.connect('worker'),
    queue: 'companies',
    prefix: '{narrow}',
    concurrency: 1,
    jobs: [],
    onDrained: () => {},
    log,
  });
  onTestFinished(() => runner.close(true));
  const errors = () => lines.filter(({ level }) => level === 'error');
  await expect.poll(errors, { timeout: 60_000 }).toHaveLength(1);
  expect(errors()).toMatchObject([{ queue: 'companies', reason: expect.stringContaining(words) }]);
});
