import { CALL_KINDS, type CallKind, eachKind } from '../call-kind.ts';
import { makeSeenSet } from './seen-set.ts';

/** `other` is whatever the service does not show. */
export type RequestKind = CallKind | 'token' | 'other';

/** Something that was made more than once; `what` names it by what it is made of (see `resource-endpoints.ts`). */
type MadeTwice = { kind: CallKind; what: string; times: number };

/** One thing as it was made. The body of a document has its size and digest in place of the content. */
type MadeThing = { id: string; what: string; body: unknown };

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
  const requests = Object.fromEntries(REQUEST_KINDS.map((kind) => [kind, {}])) as Record<
    RequestKind,
    Record<string, number>
  >;
  const kinds = eachKind(() => ({
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
    totals: (): Record<CallKind, number> => eachKind((kind) => kinds[kind].total),

    /** How often each thing was made, by kind and by what it is; empty unless `keepMade`. */
    times: (): Record<CallKind, Record<string, number>> => eachKind((kind) => timesOf(kinds[kind].things)),

    /** Every thing of a kind, in the order of making; empty unless `keepMade`. */
    things: (kind: CallKind): readonly MadeThing[] => kinds[kind].things,

    /**
     * What was made more than once: of each kind the first ten thousand such, found among the first three million
     * things (see `seen-set.ts`).
     */
    twice: (): MadeTwice[] =>
      CALL_KINDS.flatMap((kind) => [...kinds[kind].repeated].map(([what, times]) => ({ kind, what, times }))),

    reset(): void {
      for (const kind of REQUEST_KINDS) requests[kind] = {};
      for (const kind of CALL_KINDS) {
        kinds[kind].total = 0;
        kinds[kind].seen.clear();
        kinds[kind].repeated.clear();
        kinds[kind].things = [];
      }
    },
  };
}

const REQUEST_KINDS = ['token', ...CALL_KINDS, 'other'] as const;

function timesOf(things: MadeThing[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { what } of things) times[what] = (times[what] ?? 0) + 1;
  return times;
}
