import { LimitlineError } from '../errors.ts';

export type Slots = ReturnType<typeof makeSlots>;

/** Calls in flight at first: enough for 40 a second at 200 ms each. Where all are in use, each response that is not slow adds one. */
const FIRST_SLOTS = 8;

/** The least number of slots. With fewer, one slow call would delay all others, and this machine would be idle while it waits. */
const FEWEST_SLOTS = 4;

/** A service is overloaded if responses take twice as long as usual and 50 ms longer; less is noise. */
const SLOW_FACTOR = 2;
const NOISE_MS = 50;

/**
 * The share of the slots that is left after a cut. As in Netflix' limiter and TCP, a cut takes a fifth at once, and each good response
 * gives one back.
 */
const CUT = 0.8;

/** The usual latency follows the recent mean: it rises by 2 % a response at most, and falls at once. */
const USUAL_DRIFT = 0.02;

/** Weight of one response in the recent mean of latencies, which so covers some ten responses: one slow response alone shows nothing. */
const LATELY_SHARE = 0.1;

/**
 * At most `limit` calls in flight from this process, and fewer while latency shows that the service is overloaded (AIMD). A caller takes
 * its slot before its permit, since a permit that cannot be used at once is lost to all processes.
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
    /** Resolves to the function that gives the slot back. Rejects with `STOPPED` when the signal is aborted first. */
    async take(signal: AbortSignal): Promise<() => void> {
      while (taken >= Math.floor(allowed)) await free(waiting, signal);
      if (signal.aborted) throw rowStopped();
      taken += 1;
      return () => {
        taken -= 1;
        letIn();
      };
    },

    /** Records a call's latency. Latencies of one kind are compared, so its calls must be of similar size. */
    answeredAfter(latencyMs: number, kind: string): void {
      const before = latencies.get(kind) ?? { usualMs: latencyMs, latelyMs: latencyMs };
      const latelyMs = before.latelyMs + LATELY_SHARE * (latencyMs - before.latelyMs);
      const usualMs = Math.min(before.usualMs * (1 + USUAL_DRIFT), latelyMs);
      latencies.set(kind, { usualMs, latelyMs });
      answersToCut -= 1;
      if (latelyMs > SLOW_FACTOR * usualMs + NOISE_MS) {
        // The calls in flight were slowed by the same load, so all of them together cause one cut.
        if (answersToCut > 0) return;
        answersToCut = taken;
        allowed = Math.max(Math.min(limit, FEWEST_SLOTS), allowed * CUT);
      } else if (allowed < limit && taken >= Math.floor(allowed)) {
        allowed = Math.min(limit, allowed + 1);
        letIn();
      }
    },

    /**
     * Takes a slot away after an unknown outcome, unless only the fewest are left. `forGood`: the breaker is tripped, so only the fewest
     * are left. Quick responses give slots back one by one.
     */
    failed(forGood: boolean): void {
      const left = forGood ? 0 : Math.min(allowed, taken) - 1;
      allowed = Math.max(Math.min(limit, FEWEST_SLOTS), left);
    },

    /** Whether more slots are taken than allowed now: then a call's slot must not pass on to its row's next call. */
    areTooMany: (): boolean => taken > Math.floor(allowed),

    /** Calls in flight, and the maximum allowed now. */
    inFlight: () => taken,
    allowed: () => Math.floor(allowed),
  };
}

function free(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => {
      const place = waiting.indexOf(next);
      if (place >= 0) waiting.splice(place, 1);
      reject(rowStopped());
    };
    const next = () => {
      signal.removeEventListener('abort', giveUp);
      resolve();
    };
    if (signal.aborted) {
      giveUp();
      return;
    }
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(next);
  });
}

/** What a row that waits meets in a process that stops. */
export function rowStopped(): LimitlineError {
  return new LimitlineError('STOPPED', 'The process is stopping; the row waits for another process.');
}
