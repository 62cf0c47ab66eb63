import { hash } from 'node:crypto';
import { CALL_KINDS, type CallKind, eachKind } from '../call-kind.ts';

/** What a request to the stand-in asks for. `other` stands for everything that the service does not document. */
export type RequestKind = CallKind | 'session' | 'token' | 'other';

/** An object that was made more than once; `what` identifies it by its content (see `resource-endpoints.ts`). */
type MadeTwice = { kind: CallKind; what: string; times: number };

/** One made object. A document's body has its size and digest instead of the content. */
type MadeThing = { id: string; what: string; body: unknown };

/** The most objects of a kind that are listed as made twice, because nobody reads a longer list. */
const REPETITIONS_KEPT = 10_000;

export type MadeRecord = ReturnType<typeof makeRecord>;

/**
 * Records what really happened: how many requests got which answer, and what was made, even if its answer was lost.
 *
 * @param keepMade keeps each object with its body, which takes memory for each request; otherwise memory is constant
 */
export function makeRecord({ keepMade }: { keepMade: boolean }) {
  const requests = Object.fromEntries(REQUEST_KINDS.map((kind) => [kind, {}])) as Record<
    Exclude<RequestKind, 'session'>,
    Record<string, number>
  > & { session?: Record<string, number> };
  const sessions: unknown[] = [];
  const kinds = eachKind(() => ({
    total: 0,
    seen: makeSeenSet(),
    repeated: new Map<string, number>(),
    things: [] as MadeThing[],
  }));

  return {
    /** @param answer the status, or a word for what replaced the answer */
    answered(kind: RequestKind, answer: string | number): void {
      const answers = requests[kind] ?? {};
      requests[kind] = answers;
      answers[answer] = (answers[answer] ?? 0) + 1;
    },

    made(kind: CallKind, thing: MadeThing): void {
      const { seen, repeated, things } = kinds[kind];
      kinds[kind].total += 1;
      if (keepMade) things.push(thing);
      if (!seen.addSeen(thing.what)) return;
      const times = repeated.get(thing.what) ?? 1;
      if (times > 1 || repeated.size < REPETITIONS_KEPT) repeated.set(thing.what, times + 1);
    },

    /** Notes a hosted session. It counts in none of the kinds, since the service's documentation does not show this call. */
    madeSession: (body: unknown): void => void sessions.push(body),

    /** The bodies of all hosted sessions that were made, in order. */
    sessions: (): readonly unknown[] => sessions,

    /** The number of requests, by kind and answer. The kind `session` is missing until the first request for a session. */
    requests: () => structuredClone(requests),

    totals: (): Record<CallKind, number> => eachKind((kind) => kinds[kind].total),

    /** How often each object was made, by kind and content; empty unless `keepMade`. */
    times: (): Record<CallKind, Record<string, number>> => eachKind((kind) => timesOf(kinds[kind].things)),

    /** All objects of a kind, in order; empty unless `keepMade`. */
    things: (kind: CallKind): readonly MadeThing[] => kinds[kind].things,

    /**
     * The objects made more than once: the first ten thousand of each kind, found among the first three million objects
     * (see `makeSeenSet`).
     */
    twice: (): MadeTwice[] =>
      CALL_KINDS.flatMap((kind) => [...kinds[kind].repeated].map(([what, times]) => ({ kind, what, times }))),

    reset(): void {
      for (const kind of REQUEST_KINDS) requests[kind] = {};
      delete requests.session;
      sessions.length = 0;
      for (const kind of CALL_KINDS) {
        kinds[kind].total = 0;
        kinds[kind].seen.clear();
        kinds[kind].repeated.clear();
        kinds[kind].things = [];
      }
    },
  };
}

/** Number of texts up to which the texts themselves are kept; for more, their hashes are. Most stand-ins see fewer. */
const FEW_TEXTS = 4_096;

/** Slots of the table for more texts than {@link FEW_TEXTS}: 4 M of 4 bytes are 16 MB, for three million texts at most. */
const PLACES = 2 ** 22;

/** The most texts in the table: beyond three quarters of its slots, the search for a free one becomes slow. */
const MOST_TEXTS = (PLACES / 4) * 3;

/**
 * A set of texts in bounded memory, so that a bench of a million requests can report what was made twice. It compares
 * 54 bits of each text's hash: among a million texts, a false match occurs in fewer than one of ten thousand runs.
 */
export function makeSeenSet() {
  const few = new Set<string>();
  let table: Uint32Array | undefined;
  let count = 0;

  const addMark = (marks: Uint32Array, text: string): boolean => {
    const digest = hash('sha1', text, 'buffer');
    // No text may have the mark zero, which is that of a free slot.
    const mark = digest.readUInt32LE(0) || 1;
    let place = digest.readUInt32LE(4) % PLACES;
    while (marks[place] !== 0) {
      if (marks[place] === mark) return true;
      place = (place + 1) % PLACES;
    }
    if (count === MOST_TEXTS) return false;
    marks[place] = mark;
    count += 1;
    return false;
  };

  return {
    /** Adds the text; true if it was there before. A full set returns false for every new text. */
    addSeen(text: string): boolean {
      if (table) return addMark(table, text);
      if (few.has(text)) return true;
      few.add(text);
      if (few.size > FEW_TEXTS) {
        table = new Uint32Array(PLACES);
        for (const one of few) addMark(table, one);
        few.clear();
      }
      return false;
    },
    clear(): void {
      few.clear();
      table = undefined;
      count = 0;
    },
  };
}

/** Number of times of requests that the ring holds: more than a second has requests, so no time is overwritten that is still needed. */
const RING_SIZE = 65_536;

const WINDOW_MS = 1_000;

export type RequestTimes = ReturnType<typeof makeRequestTimes>;

/** Counts the most requests within any second, and the most open ones. */
export function makeRequestTimes() {
  const ring = new Float64Array(RING_SIZE);
  let newest = 0;
  let oldest = 0;
  let mostPerSecond = 0;
  let open = 0;
  let mostOpen = 0;
  return {
    /** @param nowMs a monotonic clock */
    arrived(nowMs: number): void {
      ring[newest % RING_SIZE] = nowMs;
      newest += 1;
      while (nowMs - (ring[oldest % RING_SIZE] ?? nowMs) >= WINDOW_MS) oldest += 1;
      mostPerSecond = Math.max(mostPerSecond, newest - oldest);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
    },
    left(): void {
      open -= 1;
    },
    /** The most requests within a second. Requests exactly 1,000 ms apart do not count together. */
    maxPerSecond: () => mostPerSecond,
    maxInFlight: () => mostOpen,
    /** Resets both peaks. Open requests still count as open. */
    reset(): void {
      oldest = newest;
      mostPerSecond = 0;
      mostOpen = open;
    },
  };
}

const REQUEST_KINDS = ['token', ...CALL_KINDS, 'other'] as const;

function timesOf(things: MadeThing[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { what } of things) times[what] = (times[what] ?? 0) + 1;
  return times;
}
