import type { CallKind } from '../call-kind.ts';
import { makeSeenSet } from './seen-set.ts';

/** `other` is whatever the service does not show. */
export type RequestKind = CallKind | 'token' | 'other';

/** Something that was made more than once; `what` names it by what it is made of (see `resource-endpoints.ts`). */
export type MadeTwice = { kind: CallKind; what: string; times: number };

/** One thing as it was made. The body of a document has its size and digest in place of the content. */
export type MadeThing = { id: string; what: string; body: unknown };

/** Of more repetitions than this nobody reads the list; that there are any, it shows all the same. */
const REPETITIONS_KEPT = 10_000;

export type MadeRecord = ReturnType<typeof makeRecord>;

/**
 * What really happened: how many requests were answered how, and what was made, whether or not its answer arrived.
 *
 * @param keepMade keeps each thing with its body, which grows with every request; otherwise what was made once is only
 *   counted, and the memory needed stays the same for any number of requests
 */
export function makeRecord({ keepMade }: { keepMade: boolean }) {
  const requests: Record<RequestKind, Record<string, number>> = forEach(REQUEST_KINDS, () => ({}));
  const kinds = forEach(RESOURCE_KINDS, () => ({
    total: 0,
    seen: makeSeenSet(),
    repeated: new Map<string, number>(),
    things: [] as MadeThing[],
  }));

  return {
    /** @param answer the status, or the word for what came in place of an answer */
    answered(kind: RequestKind, answer: string | number): void {
      requests[kind][answer] = (requests[kind][answer] ?? 0) + 1;
    },

    made(kind: CallKind, thing: MadeThing): void {
      const { seen, repeated, things } = kinds[kind];
      kinds[kind].total += 1;
      if (keepMade) things.push(thing);
      if (!seen.addSeen(thing.what)) return;
      const times = repeated.get(thing.what) ?? 1;
      if (times > 1 || repeated.size < REPETITIONS_KEPT) repeated.set(thing.what, times + 1);
    },

    /** Requests by kind and by answer. */
    requests: () => structuredClone(requests),

    /** How many things of each kind were made. */
    totals: (): Record<CallKind, number> => forEach(RESOURCE_KINDS, (kind) => kinds[kind].total),

    /** How often each thing was made, by kind and by what it is; empty unless `keepMade`. */
    times: (): Record<CallKind, Record<string, number>> =>
      forEach(RESOURCE_KINDS, (kind) => timesOf(kinds[kind].things)),

    /** Every thing of a kind, in the order of making; empty unless `keepMade`. */
    things: (kind: CallKind): readonly MadeThing[] => kinds[kind].things,

    /**
     * What was made more than once: of each kind the first ten thousand such, found among the first three million
     * things (see `seen-set.ts`).
     */
    twice: (): MadeTwice[] =>
      RESOURCE_KINDS.flatMap((kind) => [...kinds[kind].repeated].map(([what, times]) => ({ kind, what, times }))),

    reset(): void {
      for (const kind of REQUEST_KINDS) requests[kind] = {};
      for (const kind of RESOURCE_KINDS) {
        kinds[kind].total = 0;
        kinds[kind].seen.clear();
        kinds[kind].repeated.clear();
        kinds[kind].things = [];
      }
    },
  };
}

const RESOURCE_KINDS = ['company', 'document', 'limit'] as const;
const REQUEST_KINDS = ['token', ...RESOURCE_KINDS, 'other'] as const;

function forEach<K extends string, V>(names: readonly K[], value: (name: K) => V): Record<K, V> {
  return Object.fromEntries(names.map((name) => [name, value(name)])) as Record<K, V>;
}

function timesOf(things: MadeThing[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { what } of things) times[what] = (times[what] ?? 0) + 1;
  return times;
}
