import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';

/** Long enough not to hammer a Redis that is loading its data, short enough to go on within the second. */
const PAUSE_MS = 300;

/** Said once an outage, not once a try. */
const FIRST_TRY = 1;

export type Persist = <T>(what: string, run: () => Promise<T>) => Promise<T>;

/**
 * Repeats a ledger command until Redis has answered it. What is written around a call to the service must not get lost
 * because Redis is away for a while, and every script of the ledger may safely run twice.
 *
 * Gives up, by throwing what Redis said, when the script itself is at fault or when `signal` says that the process
 * ends; the claim is then found by others to be without an owner.
 */
export function makePersist({ log, signal }: { log: Log; signal: AbortSignal }): Persist {
  return async (what, run) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        if (signal.aborted || isOurMistake(error)) throw error;
        if (attempt === FIRST_TRY)
          log.warn({ err: error }, `the ledger does not answer to "${what}"; trying until it does`);
        await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
      }
    }
  };
}

/** A script that is wrong stays wrong: Redis answers those with ERR, and outages (LOADING, MISCONF, OOM …) by name. */
function isOurMistake(error: unknown): boolean {
  return (
    error instanceof Error && error.name === 'ReplyError' && /^(ERR|WRONGTYPE|CROSSSLOT|NOPERM)\b/.test(error.message)
  );
}
