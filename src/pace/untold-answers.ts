import type { LimitWords } from './limit-headers.ts';

/** What a process has learned from answers since it last told Redis: calls accepted, and what they said of the limit. */
export type Untold = { accepted: number; words: LimitWords };

/** Gathers what answers say until it is told, since a trip to Redis for each of them would be one too many. */
export function makeUntold() {
  let untold = nothing();
  return {
    add(accepted: number, words: LimitWords): void {
      untold = { accepted: untold.accepted + accepted, words: tighter(untold.words, words) };
    },

    /** Counts calls again that were taken out and could not be told of; what answers said since then stays. */
    putBack(accepted: number): void {
      untold = { ...untold, accepted: untold.accepted + accepted };
    },

    /** Takes all of it out, to be told. */
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

/** Of two answers' words the ones that leave less; answers overtake each other, so the later is not the truer. */
function tighter(one: LimitWords, other: LimitWords): LimitWords {
  return (other.remaining ?? Number.POSITIVE_INFINITY) <= (one.remaining ?? Number.POSITIVE_INFINITY) ? other : one;
}
