import { expect, onTestFinished, test } from 'vitest';
import { makeTaskRunner } from '../../jobs/nightly/run-task.ts';
import { accountOf, readSettings } from '../../src/config.ts';
import { makeNightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makeMaintenance } from '../../src/queue/maintenance.ts';
import { startMaintenanceWorker } from '../../src/queue/maintenance-worker.ts';
import { nextMoment } from '../../src/schedule/moments.ts';
import { bundled } from '../support/bundle.ts';
import { startScript } from '../support/command.ts';
import { connectRedis, ownRedis } from '../support/ledger.ts';
import { makeNotedAudit } from '../support/noted-audit.ts';
import { makeFolder } from '../support/workplace.ts';

const NIGHT_PROCESS = bundled('night-process');

// Promise: killed-night-taken-over
test('a process that is killed in the middle of a run leaves it to another, as the same night, which counts once', async () => {
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
