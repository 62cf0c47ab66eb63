/** More than the people of one office try on a Monday morning, all behind one address; and one a second from then on. */
const OF_NETWORK = { atOnce: 60, backMs: 1_000 };

/** Of all strangers together: a try that gets through costs about a millisecond of the processor, before anything is hashed. */
const OF_STRANGERS = { atOnce: 200, backMs: 50 };

/** Networks that are remembered; when there are more, those that were not heard of for longest are forgotten. */
const MOST = 20_000;

/**
 * Counts tries by network, and those of all strangers together, as GCRA does: one moment for each, up to which its tries are used
 * up. A network from which somebody signed in is no stranger's: whoever fills the strangers' part keeps nobody of it out.
 */
export function makeTries({ ofNetwork = OF_NETWORK, ofStrangers = OF_STRANGERS, most = MOST } = {}) {
  const usedUp = new Map<string, number>();
  const known = new Set<string>();
  let strangersMs = 0;

  return {
    /** Takes a try, and answers 0; or after how many seconds there is one again. */
    take(network: string, nowMs: number): number {
      const used = Math.max(usedUp.get(network) ?? 0, nowMs);
      const waitMs = waitOf(used - nowMs, ofNetwork);
      if (waitMs > 0) return Math.ceil(waitMs / 1_000);
      if (!known.has(network)) {
        const usedByAll = Math.max(strangersMs, nowMs);
        const strangersWaitMs = waitOf(usedByAll - nowMs, ofStrangers);
        if (strangersWaitMs > 0) return Math.ceil(strangersWaitMs / 1_000);
        strangersMs = usedByAll + ofStrangers.backMs;
      }
      // Behind all others: what is heard of least stands in front.
      usedUp.delete(network);
      usedUp.set(network, used + ofNetwork.backMs);
      forgetSome(usedUp, most);
      return 0;
    },
    /** Somebody signed in from there. */
    know(network: string): void {
      known.delete(network);
      known.add(network);
      forgetSome(known, most);
    },
  };
}

function waitOf(aheadMs: number, { atOnce, backMs }: { atOnce: number; backMs: number }): number {
  return Math.max(0, aheadMs - (atOnce - 1) * backMs);
}

function forgetSome(kept: Map<string, number> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}
