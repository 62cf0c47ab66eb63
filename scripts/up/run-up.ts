import { accountOf, readSettings } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { reachOf } from '../console/reach-of.ts';
import { FAULT_STATUS } from '../process/exit-status.ts';
import { speakThroughLog } from '../process/log-only.ts';
import { waitForSignal } from '../process/signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Child, startChild } from './child.ts';
import { startNightly } from './nightly.ts';

/**
 * Everything at once, until SIGTERM, SIGINT or SIGHUP: workers and console, each in a process of its own, so that a slow page
 * never makes a call late and a fault of one leaves the other alone; and what is done at night. Redis is started by whoever
 * of them needs it first, where none is given.
 *
 * @returns the exit status: 0, or 1 where a part could not so much as begin, which has said why
 */
export async function runUp(
  terminal: Terminal,
  { env = process.env }: { env?: NodeJS.ProcessEnv } = {},
): Promise<number> {
  const settings = readSettings();
  const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
  speakThroughLog(terminal, log);
  reachOf(settings);
  const { signal, forget } = waitForSignal();
  const [web, work] = [startChild({ args: ['console'], log, env }), startChild({ args: ['work'], log, env })];
  // However this process ends, nothing of it goes on.
  const killAll = (): void => [web, work].forEach((child) => void child.kill());
  process.once('exit', killAll);
  const nightly = startNightly({ log });
  try {
    const working = Promise.all([web.ready, work.ready]);
    const failed = Promise.race([web.failed, work.failed]);
    const first = await Promise.race([working, failed, signal.then(() => undefined)]);
    if (typeof first === 'string') {
      log.fatal({ part: first }, `${first} could not begin, and said why above; nothing runs`);
      return FAULT_STATUS;
    }
    if (first) sayWhere(first[0].url ?? '', { terminal, standIn: settings.SERVICE_URL === undefined });
    await signal;
    log.info('stopping: calls in flight get up to 20 s; Ctrl-C again, after two seconds, cuts them off');
    return 0;
  } finally {
    await stopInOrder([web, work], nightly);
    process.off('exit', killAll);
    forget();
  }
}

/** Nobody presses a button any more when the workers end. */
async function stopInOrder(children: readonly Child[], nightly: { stop: () => Promise<void> }): Promise<void> {
  for (const child of children) child.expectEnd();
  await nightly.stop();
  for (const child of children) await child.stop();
}

function sayWhere(url: string, { terminal, standIn }: { terminal: Terminal; standIn: boolean }): void {
  const played = standIn ? ' Calls go to the STAND-IN: nothing is really requested of anybody.' : '';
  terminal.print(`The console is at ${url} (Ctrl-C stops it and the workers).${played}`, { url, standIn });
}
