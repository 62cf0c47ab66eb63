import type { CallKind } from '../call-kind.ts';
import { LimitlineError } from '../errors.ts';

export type BreakerQueue<T extends { kind: CallKind }> = ReturnType<typeof makeBreakerQueue<T>>;

type Waiter<T> = { kind: CallKind; pass: (probe: T | undefined) => void };

/**
 * Those of one process who wait behind a tripped breaker, in the order in which they came. They take up nothing meanwhile: no slot,
 * no permit, no claim.
 */
export function makeBreakerQueue<T extends { kind: CallKind }>() {
  const waiters = new Set<Waiter<T>>();
  return {
    /** Answers a probe, or nothing where the breaker is not tripped. Rejects with `STOPPED` when the signal is aborted first. */
    wait: (kind: CallKind, signal: AbortSignal): Promise<T | undefined> =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiters.delete(waiter);
          reject(new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.'));
        };
        const pass = (probe: T | undefined) => {
          waiters.delete(waiter);
          signal.removeEventListener('abort', leave);
          resolve(probe);
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

    /** Lets all pass whose breaker is not tripped. */
    letPass(mayLeave: (kind: CallKind) => boolean): void {
      for (const waiter of [...waiters]) if (mayLeave(waiter.kind)) waiter.pass(undefined);
    },

    /** Gives a probe to the first of its kind; false where nobody waits any more. */
    give(probe: T): boolean {
      for (const waiter of waiters) {
        if (waiter.kind !== probe.kind) continue;
        waiter.pass(probe);
        return true;
      }
      return false;
    },
  };
}
