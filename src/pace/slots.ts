import { LimitlineError } from '../errors.ts';

export type Slots = ReturnType<typeof makeSlots>;

/**
 * At most `limit` calls in flight from this process. A caller waits for a slot before it waits for its turn, since a
 * turn that cannot be used at once is a turn lost to the whole fleet.
 */
export function makeSlots(limit: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;

  return {
    /** Answers the function that gives the slot back. Rejects with `STOPPED` when the signal is aborted first. */
    async take(signal: AbortSignal): Promise<() => void> {
      while (taken >= limit) await free(waiting, signal);
      if (signal.aborted) throw stopped();
      taken += 1;
      return () => {
        taken -= 1;
        waiting.shift()?.();
      };
    },
    /** Calls in flight now. */
    inFlight: () => taken,
  };
}

function free(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const give = () => {
      const place = waiting.indexOf(next);
      if (place >= 0) waiting.splice(place, 1);
      reject(stopped());
    };
    const next = () => {
      signal.removeEventListener('abort', give);
      resolve();
    };
    if (signal.aborted) {
      give();
      return;
    }
    signal.addEventListener('abort', give, { once: true });
    waiting.push(next);
  });
}

function stopped(): LimitlineError {
  return new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.');
}
