import { existsSync, writeSync } from 'node:fs';
import { startWorkers } from '../../jobs/workers/workers.ts';
import { waitForSignal } from '../../scripts/process/long-running.ts';
import { readSettings } from '../../src/config.ts';
import { openContext } from '../../src/context.ts';
import { makeLog } from '../../src/log.ts';
import { openService } from '../../src/open-service.ts';
import { withMoments } from './moments.ts';

/**
 * A worker process with one built-in fault. At the nth passage of a moment between two steps of a call, it kills
 * itself, prints the moment and blocks its event loop until a file exists, or only prints the moment. Run by tests,
 * with settings in its environment.
 * Arguments: moment, number of the passage, `kill` | `block` | `tell`, and for `block` the file that ends it.
 */
const [moment, nth, fault, file = ''] = process.argv.slice(2);
let passages = 0;

const settings = readSettings();
const opened = await openContext({ settings, log: makeLog({ level: settings.LOG_LEVEL }) });
const context = withMoments(opened, (passed) => {
  if (passed !== moment) return;
  passages += 1;
  if (passages === Number(nth)) strike();
});
const workers = await startWorkers(context, openService(context, settings.SERVICE_URL ?? ''));
await waitForSignal().signal;
await workers.stop();
await context.close();

function strike(): void {
  if (fault === 'kill') process.kill(process.pid, 'SIGKILL');
  // Written synchronously, because a stream needs the event loop that is about to be blocked.
  writeSync(1, `${moment}\n`);
  // Nothing else of this process may run: no timer, no reply, no heartbeat.
  while (fault === 'block' && !existsSync(file)) sleepSync();
}

/** Blocks the whole process for a moment without using the processor. */
function sleepSync(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
}
