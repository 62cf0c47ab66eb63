import { accountOf, readSettings } from '../../src/config.ts';
import { makeLog } from '../../src/log.ts';
import { linkWords } from '../console/console-link.ts';
import { reachOf } from '../console/reach-of.ts';
import { FAULT_STATUS } from '../process/exit-status.ts';
import { speakThroughLog } from '../process/log-only.ts';
import { waitForSignal } from '../process/signals.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Child, startChild } from './child.ts';
import type { Ready } from './with-parent.ts';

const PARTS = [['console'], ['work'], ['nightly', '--wait']] as const;

/** Only if EVENTS_PORT is set. METRICS_PORT belongs to the workers here. */
const LISTEN = ['events', 'listen'];
const WITHOUT_METRICS = { METRICS_PORT: '' };

/**
 * Runs workers, console and nightly tasks until SIGTERM, SIGINT or SIGHUP, each in its own process: a slow page or a long check
 * delays no call, and a fault affects one part only. With EVENTS_PORT, also listens for events. The first part that needs Redis
 * starts it, if none is given.
 *
 * @returns the exit status: 0, or 1 if a part could not begin, which has logged why
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
  const [web, work, nightly] = PARTS.map((args) => startChild({ args, log, env })) as [Child, Child, Child];
  const events =
    settings.EVENTS_PORT === undefined
      ? undefined
      : startChild({ args: LISTEN, log, env: { ...env, ...WITHOUT_METRICS } });
  const children = [web, ...(events ? [events] : []), nightly, work];
  // However this process ends, its children end, too.
  const killAll = (): void => children.forEach((child) => void child.kill());
  process.once('exit', killAll);
  try {
    const working = Promise.all([web.ready, events?.ready, work.ready, nightly.ready]);
    const failed = Promise.race(children.map((child) => child.failed));
    const first = await Promise.race([working, failed, signal.then(() => undefined)]);
    if (typeof first === 'string') {
      log.fatal({ part: first }, `${first} could not begin, and said why above; nothing runs`);
      return FAULT_STATUS;
    }
    if (first) sayWhere(first[0], { terminal, standIn: settings.SERVICE_URL === undefined, events: first[1]?.url });
    await signal;
    log.info('stopping: calls in flight get up to 20 s; Ctrl-C again, after two seconds, cuts them off');
    return 0;
  } finally {
    await stopInOrder(children);
    process.off('exit', killAll);
    forget();
  }
}

/** Stops console, events and nightly tasks before the workers, so that nothing new arrives while those end. */
async function stopInOrder(children: readonly Child[]): Promise<void> {
  for (const child of children) child.expectEnd();
  for (const child of children) await child.stop();
}

type Where = { terminal: Terminal; standIn: boolean; events: string | undefined };

function sayWhere({ url = '', link }: Ready, { terminal, standIn, events }: Where): void {
  const played = standIn ? ' Calls go to the STAND-IN: nothing is really requested of anybody.' : '';
  const listening = events === undefined ? '' : ` Events are listened for at ${events}`;
  terminal.print(`The console is at ${url} (Ctrl-C stops it and the workers).${listening}${played}${linkWords(link)}`, {
    url,
    ...(link && { link }),
    standIn,
    ...(events === undefined ? {} : { events }),
  });
}
