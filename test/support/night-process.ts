import { hostname } from 'node:os';
import { makeTaskRunner } from '../../jobs/nightly/run-task.ts';
import { readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeSilentLog } from '../../src/log.ts';
import { startMaintenanceWorker } from '../../src/queue/maintenance-worker.ts';
import { nextMoment } from '../../src/schedule/moments.ts';

/**
 * A process on duty whose task never ends, and which prints the night of its run. It is killed by tests. Its settings
 * are in its environment.
 */
const context = await openContext({ settings: readSettings(), log: makeSilentLog() });
const { nightlyRuns: runs, audit, marks, processId, log } = context;
const run = async ({ id }: { id: string }) => {
  process.stdout.write(`${id}\n`);
  await new Promise(() => {});
  return { is: 'failed' as const, words: 'never' };
};
const tasks = [{ name: 'reconcile' as const, words: 'comes to no end', run }];
startMaintenanceWorker({
  connection: context.redis.connect('worker'),
  prefix: context.keys.queuePrefix('maintenance'),
  nextMoment,
  lockMs: 1_000,
  log,
  run: makeTaskRunner({ tasks, runs, marks, audit, from: 'test', processId, host: hostname(), log }),
});
