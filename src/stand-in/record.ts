import { CALL_KINDS, type CallKind, eachKind } from '../call-kind.ts';
import { makeSeenSet } from './seen-set.ts';

/** `other` is everything that the service does not document. */
export type RequestKind = CallKind | 'token' | 'other';

/** An object that was made more than once; `what` identifies it by its content (see `resource-endpoints.ts`). */
type MadeTwice = { kind: CallKind; what: string; times: number };

/** One made object. A document's body has its size and digest instead of the content. */
type MadeThing = { id: string; what: string; body: unknown };

/** The list is cut here, because nobody reads a longer one. */
const REPETITIONS_KEPT = 10_000;

export type MadeRecord = ReturnType<typeof makeRecord>;

/**
 * Records what really happened: how many requests got which answer, and what was made, even if its answer was lost.
 *
 * @param keepMade keeps each object with its body, which takes memory for each request; otherwise memory is constant
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
    /** @param answer the status, or a word for what replaced the answer */
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

    /** Requests by kind and answer. */
    requests: () => structuredClone(requests),

    /** The number of made objects of each kind. */
    totals: (): Record<CallKind, number> => eachKind((kind) => kinds[kind].total),

    /** How often each object was made, by kind and content; empty unless `keepMade`. */
    times: (): Record<CallKind, Record<string, number>> => eachKind((kind) => timesOf(kinds[kind].things)),

    /** All objects of a kind, in order; empty unless `keepMade`. */
    things: (kind: CallKind): readonly MadeThing[] => kinds[kind].things,

    /**
     * The objects made more than once: the first ten thousand of each kind, found among the first three million objects
     * (see `seen-set.ts`).
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
