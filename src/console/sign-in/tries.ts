/** More than the people of one office try on a Monday morning, all behind one address; and one a second from then on. */
const OF_NETWORK = { atOnce: 60, backMs: 1_000 };

/** Of the wider groups of a stranger's address (address-group.ts), the narrower one first. */
const OF_WIDER = [
  { atOnce: 120, backMs: 500 },
  { atOnce: 240, backMs: 250 },
] as const;

/** Of all strangers together: a try that gets through costs about a millisecond of the processor, before anything is hashed. */
const OF_STRANGERS = { atOnce: 400, backMs: 10 };

/** Networks that are remembered; when there are more, those that were not heard of for longest are forgotten. */
const MOST = 20_000;

/**
 * Counts tries by network, by the wider networks that it is in, and those of all strangers together, as GCRA does: one moment for
 * each, up to which its tries are used up. A network from which somebody signed in is no stranger's: whoever fills the strangers' part
 * keeps nobody of it out.
 */
export function makeTries({
  ofNetwork = OF_NETWORK,
  ofWider = OF_WIDER as readonly Tries[],
  ofStrangers = OF_STRANGERS as Tries,
  most = MOST,
} = {}) {
  const usedUp = new Map<string, number>();
  const known = new Set<string>();

  return {
    /** Takes a try from a network, and the wider ones behind it, and answers 0; or after how many seconds there is one again. */
    take([network = '', ...wider]: readonly string[], nowMs: number, isKnown = known.has(network)): number {
      const counted: { name: string; tries: Tries }[] = [{ name: network, tries: ofNetwork }];
      if (!isKnown) {
        for (const [place, name] of wider.entries()) {
          const tries = ofWider[place];
          if (tries) counted.push({ name, tries });
        }
        counted.push({ name: STRANGERS, tries: ofStrangers });
      }
      const usedOf = (name: string) => Math.max(usedUp.get(name) ?? 0, nowMs);
      const waitMs = Math.max(...counted.map(({ name, tries }) => waitOf(usedOf(name) - nowMs, tries)));
      if (waitMs > 0) return Math.ceil(waitMs / 1_000);
      for (const { name, tries } of counted) {
        const used = usedOf(name) + tries.backMs;
        // Behind all others: what is heard of least stands in front.
        usedUp.delete(name);
        usedUp.set(name, used);
        forgetSome(usedUp, most);
      }
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

/** So many tries in one go, of which one comes back after so long. */
type Tries = { atOnce: number; backMs: number };

/** Like no network's name. */
const STRANGERS = '';

function waitOf(aheadMs: number, { atOnce, backMs }: Tries): number {
  return Math.max(0, aheadMs - (atOnce - 1) * backMs);
}

function forgetSome(kept: Map<string, number> | Set<string>, most: number): void {
  if (kept.size <= most) return;
  const [first] = kept.keys();
  if (first !== undefined) kept.delete(first);
}
