import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Command } from 'commander';
import { accountOf, readSettings, type Settings } from '../../src/config.ts';
import type { Log } from '../../src/log.ts';
import { ROOT } from '../../src/version.ts';
import { linkWords, reachOf } from '../console/open-console.ts';
import { sayStopped } from '../opening/open-until.ts';
import { FAULT_STATUS } from '../process/exit-status.ts';
import { logUsageFaults, speakByLog, waitForSignal } from '../process/long-running.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { isReady, type Ready } from '../up/with-parent.ts';

/** `limitline up`: workers, console and nightly tasks until SIGTERM, SIGINT or SIGHUP, with a Redis of its own if none is given. */
export function register(program: Command, terminal: Terminal): void {
  logUsageFaults(program.command('up')).action(async () => {
    process.exitCode = await runUp(terminal);
  });
}

const PARTS = [['console'], ['work'], ['nightly', '--wait']] as const;

/** The part that runs only if EVENTS_PORT is set; without METRICS_PORT, which is the workers' under `up`. */
const LISTEN = ['events', 'listen'];
const WITHOUT_METRICS = { METRICS_PORT: '' };

/**
 * Runs workers, console and nightly tasks until SIGTERM, SIGINT or SIGHUP, each in its own process: a slow page or a long check
 * delays no call, and a fault affects one part only. With EVENTS_PORT, also listens for events. The first part that needs Redis
 * starts it, if none is given.
 *
 * @returns the exit status: 0, or 1 if a part could not begin, which has logged why
 */
export async function runUp(terminal: Terminal): Promise<number> {
  const { settings, log } = speakByLog(terminal);
  reachOf(settings);
  const { signal, forget } = waitForSignal();
  const isOurs = () => isLedgerOf(settings);
  const [web, work, nightly] = PARTS.map((args) => startChild({ args, log, isOurs })) as [Child, Child, Child];
  const events =
    settings.EVENTS_PORT === undefined
      ? undefined
      : startChild({ args: LISTEN, log, isOurs, env: { ...process.env, ...WITHOUT_METRICS } });
  const children = [web, ...(events ? [events] : []), nightly, work];
  // However this process ends, its children end, too.
  const killAll = (): void => children.forEach((child) => void child.kill());
  process.once('exit', killAll);
  let began = false;
  try {
    const working = Promise.all([web.ready, events?.ready, work.ready, nightly.ready]);
    const failed = Promise.race(children.map((child) => child.failed));
    const first = await Promise.race([working, failed, signal.then(() => undefined)]);
    if (typeof first === 'string') {
      log.fatal({ part: first }, `${first} could not begin, and said why above; nothing runs`);
      const fault = `${first} could not begin; standard error says why. Nothing runs.`;
      if (terminal.json) terminal.print('', { error: fault, status: FAULT_STATUS });
      return FAULT_STATUS;
    }
    began = first !== undefined;
    if (first) sayWhere(first[0], { terminal, standIn: settings.SERVICE_URL === undefined, events: first[1]?.url });
    await signal;
    log.info('stopping: calls in flight get up to 20 s; Ctrl-C again, after two seconds, cuts them off');
  } finally {
    await stopInOrder(children);
    process.off('exit', killAll);
    forget();
  }
  // With --json the answer is where the parts are. A stop before they all began would leave standard output empty.
  if (!began) sayStopped(log, terminal);
  return 0;
}

/** Whether the settings as they are now, of which `.env` may have changed, lead to the account and ledger of those at the start. */
function isLedgerOf(before: Settings): boolean {
  const ledgerOf = (settings: Settings) =>
    JSON.stringify([accountOf(settings), settings.REDIS_URL, settings.LIMITLINE_PREFIX, settings.LIMITLINE_DATA]);
  try {
    return ledgerOf(readSettings()) === ledgerOf(before);
  } catch {
    // A part that starts names the fault.
    return true;
  }
}

type Child = ReturnType<typeof startChild>;

type Part = { args: readonly string[]; log: Log; isOurs: () => boolean; env?: NodeJS.ProcessEnv };

/**
 * Runs a part of `up` in its own process and restarts it when it dies, so that its faults do not affect others. The child stays
 * in this process group, so that Ctrl-C reaches it, too. It is not restarted while the settings lead to another ledger, which would not
 * know what the other parts requested.
 *
 * @param given.args of the command line, such as `['work']`
 */
function startChild({ args, log, isOurs, env = process.env }: Part) {
  const name = args[0] ?? '';
  const ready = Promise.withResolvers<Ready>();
  const failed = Promise.withResolvers<string>();
  let child: ChildProcess | undefined;
  let again: NodeJS.Timeout | undefined;
  let [wasReady, stopping, pauseMs] = [false, false, FIRST_PAUSE_MS];

  const start = (): void => {
    const startedMs = performance.now();
    const started = spawn(process.execPath, [...process.execArgv, LIMITLINE, ...args], {
      env,
      // Only `up` itself writes to standard output.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    started.on('message', (message) => {
      if (!isReady(message)) return;
      wasReady = true;
      ready.resolve(message);
    });
    // A process that cannot be started emits no exit.
    started.once('error', () => ended(null, null));
    started.once('exit', (status, signal) => ended(status, signal));
    const ended = (status: number | null, signal: string | null): void => {
      if (child !== started) return;
      child = undefined;
      if (stopping) return;
      if (!wasReady) {
        failed.resolve(name);
        return;
      }
      if (performance.now() - startedMs >= WELL_AFTER_MS) pauseMs = FIRST_PAUSE_MS;
      log.error({ part: name, status, signal, pauseMs }, `${name} ended and is started again in ${pauseMs / 1_000} s`);
      startLater();
    };
  };
  const startLater = (): void => {
    again = setTimeout(() => {
      if (isOurs()) return start();
      log.error({ part: name }, `${name} is not started again: ${OTHER_LEDGER}`);
      startLater();
    }, pauseMs);
    pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
  };
  start();

  return {
    name,
    /** Resolves when the part first works. */
    ready: ready.promise,
    /** Resolves with the part's name if it ends before it ever works; it has logged why. */
    failed: failed.promise,
    /** Stops restarting the part: Ctrl-C ends its process as well as ours. */
    expectEnd(): void {
      stopping = true;
      clearTimeout(again);
    },
    /** Stops the part properly, or by force after the limit. */
    async stop(): Promise<void> {
      stopping = true;
      clearTimeout(again);
      const ending = child;
      if (!ending) return;
      const gone = new Promise<void>((resolve) => ending.once('exit', () => resolve()));
      const late = setTimeout(() => ending.kill('SIGKILL'), STOP_LIMIT_MS);
      ending.kill('SIGTERM');
      await gone;
      clearTimeout(late);
    },
    kill(): void {
      stopping = true;
      child?.kill('SIGKILL');
    },
  };
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

const LIMITLINE = join(ROOT, 'scripts/limitline.cjs');

const OTHER_LEDGER =
  'the settings lead to another account, Redis or data folder than at the start of up; put them back, or stop up and start it again';

/** The pause before a part is restarted. It doubles each time, up to half a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** How long a part must have run so that its crash has nothing to do with its start, in ms: the pause then begins small again. */
const WELL_AFTER_MS = 60_000;

/** How long a part may take to stop, in ms: calls in flight get 20 s of it (jobs/workers/workers.ts), and the rest is for the end. */
const STOP_LIMIT_MS = 25_000;
