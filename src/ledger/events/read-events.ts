import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { packedDigest } from './keep-events.ts';
import type { EventTotals, KeptEvent, RawEvent } from './kept-event.ts';

/** Events read at a time: some 20 kB without their content. */
const PAGE = 100;

/** Events with an id in other letters are passed over, so many at the most: they are somebody's mischief, or an id that is another. */
const MOST_LOOKED_AT = 1_000;

/** Of which events a walk goes over: those since a moment, in the order of their first time. */
export type EventWalk = { sinceMs?: number | undefined; from: 'oldest' | 'latest' };

/** Reads what is kept of the service's events. */
export function makeReadEvents({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  /** Those of these events that are there, in their order. */
  async function read(ids: readonly string[]): Promise<KeptEvent[]> {
    const found = await Promise.all(ids.map((id) => connection.hmget(keys.event(id), 'seen', 'ids')));
    return found.flatMap(([seen, named], place) => (seen ? [toEvent(ids[place] ?? '', seen, named ?? '')] : []));
  }

  /** Names of the events in which this id stands, in whatever case, the latest first; behind so many of them. */
  async function withId(id: string, count: number, behind = 0): Promise<string[]> {
    const digest = packedDigest(id);
    const [from, to] = [Buffer.concat([BRACKET, digest]), Buffer.concat([PARENTHESIS, digest, BEHIND])];
    const bucket = keys.eventIds(String(Math.floor(digest.readUInt16BE(0) / DIGESTS_OF_BUCKET)));
    const entries = await connection.zrangeBuffer(bucket, to, from, 'BYLEX', 'REV', 'LIMIT', behind, count);
    return entries.map((entry) => entry.toString('latin1', BEFORE_NAME));
  }

  /** The latest events in which this id stands as it is written: the index knows digests alone, of small letters. */
  async function asWritten(id: string, count: number): Promise<KeptEvent[]> {
    const found: KeptEvent[] = [];
    for (let behind = 0; behind < MOST_LOOKED_AT && found.length < count; behind += count) {
      const names = await withId(id, count, behind);
      found.push(...(await read(names)).filter(({ ids }) => ids.includes(id)));
      if (names.length < count) break;
    }
    return found.slice(0, count);
  }

  return {
    read,
    withId,

    /** An event with its content, as it came; nothing where it is not kept. */
    async raw(id: string): Promise<RawEvent | undefined> {
      const [[event], content] = await Promise.all([
        read([id]),
        connection.hmgetBuffer(keys.event(id), 'body', 'headers'),
      ]);
      const [body, headers] = content;
      if (!event || !body || !headers) return undefined;
      return { ...event, body, headers: JSON.parse(headers.toString()) as RawEvent['headers'] };
    },

    /** How many events are kept, and what they take. */
    async totals(): Promise<EventTotals> {
      const [events, bytes, full, fullMs] = await connection.hmget(
        keys.eventTotals,
        ...(['events', 'bytes', 'full', 'fullMs'] as const),
      );
      return {
        events: Number(events ?? 0),
        bytes: Number(bytes ?? 0),
        full: Number(full ?? 0),
        fullMs: fullMs ? Number(fullMs) : undefined,
      };
    },

    /** How many of the events that are kept came first since this moment. */
    countSince: (sinceMs: number): Promise<number> => connection.zcount(keys.eventsLately, sinceMs, '+inf'),

    /**
     * Events page by page. One that is kept from the beginning to the end comes once; one that comes meanwhile may be passed over.
     */
    async *walk({ sinceMs, from }: EventWalk): AsyncGenerator<KeptEvent[]> {
      let edge = from === 'oldest' ? String(sinceMs ?? '-inf') : '+inf';
      let seen = new Set<string>();
      for (;;) {
        // Many may have come in one millisecond: the page behind them is longer by those.
        const count = PAGE + seen.size;
        const found =
          from === 'oldest'
            ? await connection.zrange(keys.eventsLately, edge, '+inf', 'BYSCORE', 'LIMIT', 0, count, 'WITHSCORES')
            : await connection.zrange(
                keys.eventsLately,
                ...([edge, String(sinceMs ?? '-inf'), 'BYSCORE', 'REV', 'LIMIT', 0, count, 'WITHSCORES'] as const),
              );
        const pairs = pairsOf(found);
        const fresh = pairs.filter(([id]) => !seen.has(id));
        if (fresh.length > 0) yield await read(fresh.map(([id]) => id));
        const last = pairs.at(-1)?.[1];
        if (last === undefined || pairs.length < count) return;
        const atEdge = pairs.filter(([, score]) => score === last).map(([id]) => id);
        seen = new Set(last === edge ? [...seen, ...atEdge] : atEdge);
        edge = last;
      }
    },

    /**
     * The events in which any of these ids stands, the latest first, so many of each id at the most. An id is found as it was
     * written, and only where the event names no more than are indexed.
     */
    async naming(ids: readonly string[], { count }: { count: number }): Promise<KeptEvent[]> {
      const named = (await Promise.all([...new Set(ids)].map((id) => asWritten(id, count)))).flat();
      const found = [...new Map(named.map((event) => [event.id, event])).values()];
      return found.toSorted((one, other) => other.firstMs - one.firstMs || (one.id < other.id ? -1 : 1));
    },
  };
}

/** As event-index.lua has entries: digest and time before the name; and as it chooses a bucket. */
const BEFORE_NAME = 12;
const DIGESTS_OF_BUCKET = 4;

const [BRACKET, PARENTHESIS] = [Buffer.from('['), Buffer.from('(')];
/** Behind all entries of a digest: no time is so late. */
const BEHIND = Buffer.from([0xff]);

function pairsOf(found: readonly string[]): [id: string, score: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < found.length; at += 2) pairs.push([found[at] ?? '', found[at + 1] ?? '']);
  return pairs;
}

/** See event-index.lua. */
function toEvent(id: string, seen: string, ids: string): KeptEvent {
  const [firstMs = 0, lastMs = 0, times = 0, sizeBytes = 0, , moreIds = 0] = seen.split(' ', 6).map(Number);
  return { id, firstMs, lastMs, times, sizeBytes, ids: ids === '' ? [] : ids.split(' '), moreIds };
}
