import type { CallKind } from '../call-kind.ts';
import { type FaultChange, type FaultRule, type FaultSettings, readFaults } from './fault-settings.ts';

export type Faults = ReturnType<typeof makeFaults>;

/**
 * The active faults, and the choice of the requests that they apply to.
 *
 * @throws LimitlineError `USAGE` for unsupported faults
 */
export function makeFaults(given: FaultChange) {
  let settings: FaultSettings;
  let rules: CountedRule[];
  let random: () => number;

  const begin = (next: FaultSettings) => {
    settings = next;
    rules = next.rules.map((rule) => ({ rule, matched: 0, hits: 0 }));
    random = makeRandom(next.seed);
  };
  const restore = () => begin(readFaults({}, given));
  restore();

  return {
    settings: () => settings,
    /** How often each rule has applied since the rules were set. */
    hits: () => rules.map(({ hits }) => hits),
    /** Restores the initial faults, and resets the counts. */
    restore,

    /**
     * Replaces the members named in `change`. A change of rules or seed resets the counts of the rules.
     *
     * @throws LimitlineError `USAGE` for unsupported faults; the active settings then stay
     */
    set(change: unknown): void {
      const names = (member: keyof FaultSettings) => Object.hasOwn(Object(change), member);
      const next = readFaults(settings, change);
      // An unchanged outage must keep its identity: a new object starts a new outage with its full duration.
      if (!names('outage')) next.outage = settings.outage;
      if (names('rules') || names('seed')) begin(next);
      else settings = next;
    },

    /** The rule that applies to this request, if any. `bodyText` is called only for rules that search the body. */
    pick(kind: CallKind | 'session' | 'token', bodyText: () => string): FaultRule | undefined {
      return rules.find((counted) => hit(counted, kind, bodyText, random))?.rule;
    },

    /** The delay of the next answer, in ms. */
    latencyMs(): number {
      const { latencyMs } = settings;
      if (typeof latencyMs === 'number') return latencyMs;
      const [min, max] = latencyMs;
      return min + random() * (max - min);
    },
  };
}

/** Random numbers between 0 and 1 (Mulberry32). The same seed gives the same ones, so faults are repeatable. */
export function makeRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type CountedRule = { rule: FaultRule; matched: number; hits: number };

function hit(counted: CountedRule, kind: string, bodyText: () => string, random: () => number): boolean {
  const { on, match, every, chance, times } = counted.rule;
  if (on !== 'any' && on !== kind) return false;
  if (match !== undefined && !bodyText().includes(match)) return false;
  counted.matched += 1;
  if (times !== undefined && counted.hits >= times) return false;
  if (every !== undefined && counted.matched % every !== 0) return false;
  if (chance !== undefined && random() >= chance) return false;
  counted.hits += 1;
  return true;
}
