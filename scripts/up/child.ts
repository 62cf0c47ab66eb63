import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Log } from '../../src/log.ts';
import { ROOT } from '../../src/version.ts';
import { isReady, type Ready } from './with-parent.ts';

const LIMITLINE = join(ROOT, 'scripts/limitline.cjs');

/** The pause before a part is restarted. It doubles each time, up to half a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** After so long, a crash has nothing to do with the start, and the pause is reset. */
const WELL_AFTER_MS = 60_000;

/** Calls in flight get 20 s (jobs/workers/workers.ts); the rest is for the end. */
const STOP_LIMIT_MS = 25_000;

export type Child = ReturnType<typeof startChild>;

/**
 * Runs a part of `up` in its own process and restarts it when it dies, so that its faults do not affect others. The child stays
 * in this process group, so that Ctrl-C reaches it, too.
 *
 * @param given.args of the command line, such as `['work']`
 */
export function startChild({
  args,
  log,
  env = process.env,
}: {
  args: readonly string[];
  log: Log;
  env?: NodeJS.ProcessEnv;
}) {
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
      again = setTimeout(start, pauseMs);
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
    };
  };
  start();

  return {
    name,
    /** Resolves when it first works. */
    ready: ready.promise,
    /** Resolves with its name if it ends before it ever works; it has logged why. */
    failed: failed.promise,
    /** Stops restarting it: Ctrl-C ends it as well as us. */
    expectEnd(): void {
      stopping = true;
      clearTimeout(again);
    },
    /** Stops it properly, or by force after the limit. */
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
