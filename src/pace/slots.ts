import { LimitlineError } from '../errors.ts';

export type Slots = ReturnType<typeof makeSlots>;

/** Calls in flight to begin with: enough for 40 a second at 200 ms each, and doubled within some answers. */
const FIRST_SLOTS = 8;

/** Fewer are never left, so that one slow call does not hold up all the others, and a busy machine of ours is not idle. */
const FEWEST_SLOTS = 4;

/** Answers that take twice as long as usual, and this much longer, are a service that suffers; below it is noise. */
const SLOW_FACTOR = 2;
const NOISE_MS = 50;

/** Netflix' limiter and TCP both give back more than they took: a fifth away at once, one more for each good answer. */
const CUT = 0.8;

/** What is usual follows a lasting change by 2 % an answer, and a quicker answer at once. */
const USUAL_DRIFT = 0.02;

/** The mean of some ten answers: one slow answer says nothing. */
const LATELY_SHARE = 0.1;

/**
 * At most `limit` calls in flight from this process, and fewer while latency shows that the service suffers (AIMD). A
 * caller waits for a slot before it waits for its permit, since a permit that cannot be used at once is a permit lost to the
 * whole fleet.
 */
export function makeSlots(limit: number) {
  const waiting: (() => void)[] = [];
  const latencies = new Map<string, { usualMs: number; latelyMs: number }>();
  let taken = 0;
  let allowed = Math.min(limit, FIRST_SLOTS);
  let answersToCut = 0;

  const letIn = (): void => {
    for (let free = Math.floor(allowed) - taken; free > 0; free -= 1) waiting.shift()?.();
  };

  return {
    /** Answers the function that gives the slot back. Rejects with `STOPPED` when the signal is aborted first. */
    async take(signal: AbortSignal): Promise<() => void> {
      while (taken >= Math.floor(allowed)) await free(waiting, signal);
      if (signal.aborted) throw stopped();
      taken += 1;
      return () => {
        taken -= 1;
        letIn();
      };
    },

    /**
     * A call of this kind was answered after so many ms. Only calls of like size may share a kind, since their latency
     * is compared.
     */
    answeredAfter(latencyMs: number, kind: string): void {
      const before = latencies.get(kind) ?? { usualMs: latencyMs, latelyMs: latencyMs };
      const latelyMs = before.latelyMs + LATELY_SHARE * (latencyMs - before.latelyMs);
      const usualMs = Math.min(before.usualMs * (1 + USUAL_DRIFT), latelyMs);
      latencies.set(kind, { usualMs, latelyMs });
      answersToCut -= 1;
      if (latelyMs > SLOW_FACTOR * usualMs + NOISE_MS) {
        // Once for the calls in flight together: their answers tell of the same moment.
        if (answersToCut > 0) return;
        answersToCut = taken;
        allowed = Math.max(Math.min(limit, FEWEST_SLOTS), allowed * CUT);
      } else if (allowed < limit && taken >= Math.floor(allowed)) {
        allowed = Math.min(limit, allowed + 1);
        letIn();
      }
    },

    /**
     * A call failed so that nobody knows what became of it: its slot is taken away, unless only the fewest are left.
     * `forGood`: its breaker is tripped, and only the fewest are left. Quick answers give them back one by one.
     */
    failed(forGood: boolean): void {
      const left = forGood ? 0 : Math.min(allowed, taken) - 1;
      allowed = Math.max(Math.min(limit, FEWEST_SLOTS), left);
    },

    /** Whether more are taken than there may be by now: who has one gives it back, and goes on in none. */
    areTooMany: (): boolean => taken > Math.floor(allowed),

    /** Calls in flight now, and how many there may be. */
    inFlight: () => taken,
    allowed: () => Math.floor(allowed),
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
