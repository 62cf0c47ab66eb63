import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError, LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** Long enough not to hammer a Redis that is loading its data, short enough to go on within the second. */
const PAUSE_MS = 300;

export type RetryUntilAnswered = <T>(what: string, run: () => Promise<T>) => Promise<T>;

/**
 * Repeats a ledger command until Redis has answered it. What is written around a call to the service must not get lost
 * because Redis is away for a while, and every script of the ledger may safely run twice.
 *
 * Gives up, by throwing what Redis said, when the script itself is at fault or when `signal` says that the process
 * ends; the claim is then found by others to be without an owner. So it does with a command that throws `STOPPED`, or `USAGE`:
 * nobody may change an archived portfolio, however often it is tried.
 */
export function makeRetryUntilAnswered({ log, signal }: { log: Log; signal: AbortSignal }): RetryUntilAnswered {
  /** Commands that have failed and have no answer yet: an outage is said once, and not once a command. */
  let failing = 0;
  const sayOutage = (what: string, error: unknown): void => {
    if (failing === 0) log.warn({ err: error }, `the ledger does not answer to "${what}"; trying until it does`);
    failing += 1;
  };
  return async (what, run) => {
    let failed = false;
    try {
      for (;;) {
        try {
          return await run();
        } catch (error) {
          if (signal.aborted || isOurMistake(error) || isMeant(error)) throw error;
          if (!failed) sayOutage(what, error);
          failed = true;
          await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
        }
      }
    } finally {
      if (failed) failing -= 1;
    }
  };
}

/** Thrown to end the command. */
function isMeant(error: unknown): boolean {
  return isLimitlineError(error, 'STOPPED', 'USAGE');
}

/**
 * The same for work that ends at a signal: it waits for no answer any more then, and rejects with `STOPPED`, in the words
 * that the signal was aborted with.
 */
export function untilStopped(retryUntilAnswered: RetryUntilAnswered, signal: AbortSignal): RetryUntilAnswered {
  return (what, run) => retryUntilAnswered(what, () => unlessStopped(run, signal));
}

function unlessStopped<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new LimitlineError('STOPPED', messageOf(signal.reason), { cause: signal.reason }));
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, { once: true });
    run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Whether it is no use to ask again. A script that is wrong stays wrong: Redis answers those with ERR, and outages
 * (LOADING, MISCONF, OOM …) by name. A transaction fails with the first of its commands.
 */
export function isOurMistake(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return false;
  const causes = 'previousErrors' in error ? Object.values(error.previousErrors ?? {}) : [];
  return OUR_MISTAKES.test(error.message) || causes.some(isOurMistake);
}

const OUR_MISTAKES = /^(ERR|WRONGTYPE|CROSSSLOT|NOPERM)\b/;
