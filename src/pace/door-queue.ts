import type { CallKind } from '../call-kind.ts';
import { LimitlineError } from '../errors.ts';

type Waiter<T> = { kind: CallKind; pass: (trial: T | undefined) => void };

/**
 * Those of one process who wait at a shut door, in the order in which they came. They hold nothing meanwhile: no slot, no
 * turn, no claim.
 */
export function makeDoorQueue<T extends { kind: CallKind }>() {
  const waiters = new Set<Waiter<T>>();
  return {
    /** Answers a trial, or nothing where the door is open. Rejects with `STOPPED` when the signal is aborted first. */
    wait: (kind: CallKind, signal: AbortSignal): Promise<T | undefined> =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiters.delete(waiter);
          reject(new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.'));
        };
        const pass = (trial: T | undefined) => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', leave);
          resolve(trial);
        };
        const waiter: Waiter<T> = { kind, pass };
        if (signal.aborted) {
          leave();
          return;
        }
        signal.addEventListener('abort', leave, { once: true });
        waiters.add(waiter);
      }),

    /** The kinds that somebody waits for, each once. */
    kinds: (): CallKind[] => [...new Set([...waiters].map(({ kind }) => kind))],

    /** Lets all pass whose door is open. */
    letPass(isOpen: (kind: CallKind) => boolean): void {
      for (const waiter of [...waiters]) if (isOpen(waiter.kind)) waiter.pass(undefined);
    },

    /** Gives a trial to the first of its kind; false where nobody waits any more. */
    give(trial: T): boolean {
      for (const waiter of waiters) {
        if (waiter.kind !== trial.kind) continue;
        waiter.pass(trial);
        return true;
      }
      return false;
    },
  };
}
