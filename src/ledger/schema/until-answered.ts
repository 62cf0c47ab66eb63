import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError, LimitlineError, messageOf } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** Wait before a repetition: long enough to spare a Redis that is loading its data, short enough to go on within a second of its return. */
const PAUSE_MS = 300;

export type RetryUntilAnswered = <T>(what: string, run: () => Promise<T>) => Promise<T>;

/**
 * Repeats a ledger command until Redis answers. What is written around a call to the service must not get lost during an outage of Redis;
 * every script of the ledger may safely run twice.
 *
 * Throws what Redis said if the script itself is wrong, or if `signal` says that the process ends; other processes then find its claims
 * abandoned. Also throws for a command that ends with `STOPPED` or `USAGE`: repeating a change to an archived portfolio never helps.
 */
export function makeRetryUntilAnswered({ log, signal }: { log: Log; signal: AbortSignal }): RetryUntilAnswered {
  /** Commands that have failed and are being repeated. An outage is logged once, and not once a command. */
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

/** Whether the error is a deliberate end of the command, and not an outage. */
const isMeant = (error: unknown): boolean => isLimitlineError(error, 'STOPPED', 'USAGE');

/**
 * Repeats commands of work that ends at a signal: an abort rejects at once with `STOPPED` and the reason of the signal, without waiting for
 * Redis.
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
 * Whether repeating the command is useless. Redis answers a wrong script with ERR or one of the names below, and an outage with others
 * (LOADING, MISCONF, OOM …). A transaction fails with the errors of its commands.
 */
export function isOurMistake(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return false;
  const causes = 'previousErrors' in error ? Object.values(error.previousErrors ?? {}) : [];
  return OUR_MISTAKES.test(error.message) || causes.some(isOurMistake);
}

const OUR_MISTAKES = /^(ERR|WRONGTYPE|CROSSSLOT|NOPERM)\b/;
