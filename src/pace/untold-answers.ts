import type { LimitWords } from './limit-headers.ts';

/**
 * Content of the responses since this process last reported to Redis: the number of accepted calls, and the limit as the headers state it.
 */
export type Untold = { accepted: number; words: LimitWords };

/** Gathers what responses say until it is reported: a round trip for each would cost too much. */
export function makeUntold() {
  let untold = nothing();
  return {
    add(accepted: number, words: LimitWords): void {
      untold = { accepted: untold.accepted + accepted, words: tighter(untold.words, words) };
    },

    /** Adds accepted calls back whose report failed; headers that came since then stay. */
    putBack(accepted: number): void {
      untold = { ...untold, accepted: untold.accepted + accepted };
    },

    /** Takes out all that was gathered, to report it. */
    take(): Untold {
      const taken = untold;
      untold = nothing();
      return taken;
    },

    accepted: (): number => untold.accepted,
  };
}

function nothing(): Untold {
  return { accepted: 0, words: {} };
}

/** The headers that leave fewer calls: responses overtake each other, so the later one is not necessarily truer. */
function tighter(one: LimitWords, other: LimitWords): LimitWords {
  return (other.remaining ?? Number.POSITIVE_INFINITY) <= (one.remaining ?? Number.POSITIVE_INFINITY) ? other : one;
}
