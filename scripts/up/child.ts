import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Log } from '../../src/log.ts';
import { ROOT } from '../../src/version.ts';
import { isReady, type Ready } from './with-parent.ts';

const LIMITLINE = join(ROOT, 'scripts/limitline.cjs');

/** A part that died is started again after this; then after twice as long each time, up to half a minute. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** Who lived so long did not die of how it was started. */
const WELL_AFTER_MS = 60_000;

/** Calls in flight get 20 s (jobs/workers/workers.ts), and what is left a moment. */
const STOP_LIMIT_MS = 25_000;

export type Child = ReturnType<typeof startChild>;

/**
 * One part of `up` in a process of its own: started again when it dies, so that a fault of one leaves the others alone. It
 * stays in our process group, so that a Ctrl-C reaches it as it reaches us.
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
      // Only `up` itself answers on standard output.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child = started;
    started.on('message', (message) => {
      if (!isReady(message)) return;
      wasReady = true;
      ready.resolve(message);
    });
    // A process that cannot be started at all has no exit.
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
    /** Resolves when it works for the first time. */
    ready: ready.promise,
    /** Resolves with its name where it ended before it ever worked; it has said why. */
    failed: failed.promise,
    /** From now on its end is nothing to mend: a Ctrl-C reaches it as soon as us. */
    expectEnd(): void {
      stopping = true;
      clearTimeout(again);
    },
    /** Ends it in good order, and by force where that takes too long. */
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
    /** Ends it at once. */
    kill(): void {
      stopping = true;
      child?.kill('SIGKILL');
    },
  };
}
