import type { CallKind } from '../call-kind.ts';
import { LimitlineError } from '../errors.ts';

export type BreakerQueue<T extends { kind: CallKind }> = ReturnType<typeof makeBreakerQueue<T>>;

type Waiter<T> = { kind: CallKind; pass: (probe: T | undefined) => void };

/** The calls of one process that wait behind a tripped breaker, in order. They hold no slot, permit or claim. */
export function makeBreakerQueue<T extends { kind: CallKind }>() {
  const waiters = new Set<Waiter<T>>();
  return {
    /** Resolves to a probe, or to undefined once the breaker has reset. Rejects with `STOPPED` when the signal is aborted first. */
    wait: (kind: CallKind, signal: AbortSignal): Promise<T | undefined> =>
      new Promise((resolve, reject) => {
        const leave = () => {
          waiters.delete(waiter);
          reject(new LimitlineError('STOPPED', 'The process is stopping; the row waits for another process.'));
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

    /** The kinds of the waiting calls, each once. */
    kinds: (): CallKind[] => [...new Set([...waiters].map(({ kind }) => kind))],

    /** Ends the wait of all calls whose breaker is not tripped; each resolves to undefined. */
    letPass(mayLeave: (kind: CallKind) => boolean): void {
      for (const waiter of [...waiters]) if (mayLeave(waiter.kind)) waiter.pass(undefined);
    },

    /** Gives a probe to the first waiting call of its kind; false if there is none. */
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
