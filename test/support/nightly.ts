import { onTestFinished } from 'vitest';
import { makeTaskRunner, type NightlyTask } from '../../jobs/nightly/run-task.ts';
import { makeNightlyRuns } from '../../src/ledger/nightly/nightly-runs.ts';
import { makeSilentLog } from '../../src/log.ts';
import { makeMaintenance } from '../../src/queue/maintenance.ts';
import type { MaintenanceRun } from '../../src/queue/maintenance-worker.ts';
import { nextMoment } from '../../src/schedule/moments.ts';
import { openLedger } from './ledger.ts';
import { makeNotedAudit } from './noted-audit.ts';

/** The nightly runs of a ledger of this test, its queue, and a runner for tasks of the test. */
export function openNights() {
  const { connection, keys } = openLedger();
  const runs = makeNightlyRuns({ connection, keys, retryUntilAnswered: (_what, run) => run() });
  const prefix = keys.queuePrefix('maintenance');
  const maintenance = makeMaintenance({ connection, prefix, nextMoment, retryMs: 1 });
  onTestFinished(() => maintenance.close());
  const audit = makeNotedAudit();
  const marks = { older: async () => undefined };
  const log = makeSilentLog();
  return {
    connection,
    keys,
    runs,
    maintenance,
    audit,
    log,
    /** Runs a task as the queue would hand it out. */
    runner(tasks: readonly NightlyTask[], now: () => number = Date.now) {
      const run = makeTaskRunner({ tasks, runs, marks, audit, from: 'test', processId: 'p1', host: 'h1', log, now });
      return (given: Partial<MaintenanceRun> & Pick<MaintenanceRun, 'dueMs'>) =>
        run({
          task: 'reconcile',
          by: undefined,
          from: undefined,
          isLastTry: false,
          signal: new AbortController().signal,
          ...given,
        });
    },
  };
}
