import type { CallKind } from '../call-kind.ts';
import { type FaultChange, type FaultRule, type FaultSettings, readFaults } from './fault-settings.ts';
import { makeRandom } from './random.ts';

export type Faults = ReturnType<typeof makeFaults>;

/**
 * The faults in force, and which request they hit.
 *
 * @throws LimitlineError `USAGE` when what is given can not be meant
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
    /** How often each rule of the list has hit since the list was set. */
    hits: () => rules.map(({ hits }) => hits),
    /** Back to what was given at the beginning, counts at zero. */
    restore,

    /**
     * Replaces the members named in `change`; rules begin to count anew when they or the seed are among them.
     *
     * @throws LimitlineError `USAGE` when it can not be meant; the settings in force then stay as they are
     */
    set(change: unknown): void {
      const names = (member: keyof FaultSettings) => Object.hasOwn(Object(change), member);
      const next = readFaults(settings, change);
      // The same object stays the same outage, whose time goes on; a new one, however alike, begins anew.
      if (!names('outage')) next.outage = settings.outage;
      if (names('rules') || names('seed')) begin(next);
      else settings = next;
    },

    /** The rule that hits this request, if any. `bodyText` is asked for only where a rule looks into the body. */
    pick(kind: CallKind | 'token', bodyText: () => string): FaultRule | undefined {
      return rules.find((counted) => hit(counted, kind, bodyText, random))?.rule;
    },

    /** How long the next answer is kept waiting. */
    latencyMs(): number {
      const { latencyMs } = settings;
      if (typeof latencyMs === 'number') return latencyMs;
      const [min, max] = latencyMs;
      return min + random() * (max - min);
    },
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
