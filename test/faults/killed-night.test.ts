import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { makeTaskRunner } from '../../jobs/nightly/run-task.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { makeNightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import { makeKeys, makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makeMaintenance } from '../../src/queue/maintenance.ts';
import { startMaintenanceWorker } from '../../src/queue/maintenance-worker.ts';
import { nextMoment } from '../../src/schedule/moments.ts';
import { openTrails } from '../support/audit.ts';
import { bundled } from '../support/bundle.ts';
import { COMPILED, startScript } from '../support/command.ts';
import { connectRedis, freshPrefix, ownRedis } from '../support/ledger.ts';
import { makeNotedAudit } from '../support/noted-audit.ts';
import { redisUrl } from '../support/redis/own-database.ts';
import { makeFolder } from '../support/workplace.ts';

const NIGHT_PROCESS = bundled('night-process');

// Promise: killed-night-taken-over
test('the run of a killed nightly process is repeated by one other process, as the same night', async () => {
  const cwd = await makeFolder();
  const env = ownRedis();
  const keys = makeKeys(env.LIMITLINE_PREFIX, accountOf(readSettings({ env, cwd })));
  const prefix = keys.queuePrefix('maintenance');
  const connection = connectRedis();
  const queue = makeMaintenance({ connection, prefix, nextMoment });
  onTestFinished(() => queue.close());
  await queue.oneAtATime();
  const dueMs = Date.parse('2026-11-22T01:30:00Z');
  await queue.add({ task: 'reconcile', dueMs });
  const killed = startScript(NIGHT_PROCESS, [], { cwd, env });
  await expect.poll(() => killed.output().stdout).toBe('2026-11-22T01:30:00.000Z\n');
  killed.child.kill('SIGKILL');
  await killed.ended;

  const runs = makeNightlyRuns({ connection, keys, retryUntilAnswered: (_what, run) => run() });
  expect((await runs.read(['reconcile'])).reconcile?.underWay).toMatchObject({ begun: 1 });
  const log = makeSilentLog();
  const marks = { older: async () => undefined };
  const nights: string[] = [];
  const run = async ({ id }: { id: string }) => {
    nights.push(id);
    return { is: 'well' as const, words: 'Fine.' };
  };
  const tasks = [{ name: 'reconcile' as const, words: 'ends', run }];
  for (const processId of ['p2', 'p3']) {
    const worker = startMaintenanceWorker({
      connection: connectRedis(),
      prefix,
      nextMoment,
      lockMs: 1_000,
      log,
      run: makeTaskRunner({ tasks, runs, marks, audit: makeNotedAudit(), from: 'test', processId, host: 'h', log }),
    });
    onTestFinished(() => worker.stop());
  }
  await expect
    .poll(async () => (await runs.read(['reconcile'])).reconcile?.last)
    .toMatchObject({ id: '2026-11-22T01:30:00.000Z', is: 'well' });
  expect(nights).toEqual(['2026-11-22T01:30:00.000Z']);
});

const WRITER = bundled('audit-writer');

// Promise: entries-are-chained
test('an audit trail with killed concurrent writers is intact and has all acknowledged entries', async () => {
  const { key, dir, process: openTrail } = await openTrails();
  const prefix = freshPrefix();
  const start = (by: string) => {
    const args = [WRITER, redisUrl(), prefix, dir, key.toString('hex'), by];
    const child = spawn(process.execPath, args, {
      env: { ...process.env, ...COMPILED },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const rounds = () => Number(said.trimEnd().split('\n').at(-1) ?? 0);
    return { by, child, rounds };
  };
  const trail = openTrail({ keys: makeSharedKeys(prefix) });
  const killed: ReturnType<typeof start>[] = [];
  // Each writer is killed after so many rounds, in the middle of the next.
  for (const rounds of [3, 10]) {
    const writers = ['a', 'b', 'c'].map((name) => start(`${name}${rounds}`));
    for (const writer of writers) {
      await expect.poll(writer.rounds, { interval: 1 }).toBeGreaterThan(rounds);
      writer.child.kill('SIGKILL');
      await once(writer.child, 'close');
      killed.push(writer);
    }
    expect((await trail.verify()).broken).toBeUndefined();
  }
  await trail.note({ by: 'z', what: 'x', from: 'here' });
  const check = await trail.verify();
  expect(check.broken).toBeUndefined();
  expect(check.remembered).toBe(check.last?.number);
  const { entries } = await trail.read.page({ count: 100_000, walk: Number.POSITIVE_INFINITY });
  const written = new Set(entries.map(({ by, about }) => `${by} ${about}`));
  expect(written.size).toBe(entries.length);
  for (const { by, rounds } of killed) {
    for (let round = 1; round <= rounds(); round += 1) {
      for (const place of [1, 2, 3]) expect(written).toContain(`${by} ${round}.${place}`);
    }
  }
});
