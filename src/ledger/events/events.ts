import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { makeEventRows } from './event-rows.ts';
import { type EventLimits, eventKeys, makeKeepEvents, packedDigest } from './keep-events.ts';
import type { EventBecame, EventTotals, KeptEvent, RawEvent } from './kept-event.ts';

/** Events deleted by one script: each has up to 64 index entries, and its content may be long. */
const DROPPED_AT_ONCE = 20;

/** Events of one id that are read at once to be deleted. */
const FORGOTTEN_AT_ONCE = 100;

/** The ms that a process has to read some events for decisions, before other processes may: a hundred times what reading takes. */
const READING_MS = 60_000;

/** The result of reading an event for decisions, and in how many whole ms to read it again; undefined for never. */
export type ReadEvent = { id: string; became: EventBecame; againMs?: number | undefined };

export type Events = ReturnType<typeof makeEvents>;

/**
 * The service's events, raw, for as long as they are kept. Their kinds, format and signature are unknown (docs/service.md, "Events"), so
 * they change nothing, unless a setting says where events state decisions. An id of ours anywhere in an event links it to its rows.
 */
export function makeEvents(deps: LedgerPlace & { limits: EventLimits }) {
  const { connection, keys, limits } = deps;
  const dropScript = ledgerScript(connection, 'events#drop-events');
  const readScript = ledgerScript(connection, 'events#read-events');
  const reading = makeReadEvents(deps);

  /** Deletes these events. Answers how many existed. */
  async function drop(ids: readonly string[]): Promise<number> {
    let dropped = 0;
    for (let from = 0; from < ids.length; from += DROPPED_AT_ONCE) {
      dropped += Number(await dropScript(eventKeys(keys), { ids: ids.slice(from, from + DROPPED_AT_ONCE) }));
    }
    return dropped;
  }

  return {
    ...reading,
    ...makeEventRows(deps),
    limits,
    keep: makeKeepEvents(deps),

    /**
     * Notes what became of events that were read for decisions, and hands out the ids of the next ones. The caller has a minute to read
     * these: after that they are handed out again.
     *
     * @param count how many at most
     */
    async nextToRead(done: readonly ReadEvent[], count: number): Promise<string[]> {
      const told = done.flatMap(({ id, became, againMs = '' }) => [id, JSON.stringify(became), againMs]);
      const args = { count, leaseMs: READING_MS, done: told };
      return (await readScript({ unread: keys.eventsUnread, events: keys.event('') }, args)) as string[];
    },

    /**
     * Deletes all expired events, and answers how many. The count of rejected events is reset when the last rejection is older than all
     * kept events.
     */
    async dropOld(): Promise<number> {
      const [seconds] = await connection.time();
      const beforeMs = Number(seconds) * 1_000 - limits.keepMs;
      const before = `(${beforeMs}`;
      const { fullMs } = await reading.totals();
      if (fullMs !== undefined && fullMs < beforeMs)
        await connection.hdel(keys.eventTotals, 'full', 'fullMs', 'fullBy');
      const next = () => connection.zrange(keys.eventsLately, '-inf', before, 'BYSCORE', 'LIMIT', 0, DROPPED_AT_ONCE);
      let dropped = 0;
      for (let old = await next(); old.length > 0; old = await next()) dropped += await drop(old);
      return dropped;
    },

    /**
     * Deletes all events that contain any of these ids, with their content, and answers how many. An event that also names other rows is
     * deleted too: it is one text, and its parts cannot be told apart.
     */
    async forget(ids: readonly string[]): Promise<number> {
      let forgotten = 0;
      for (const id of new Set(ids)) {
        let dropped: number;
        do {
          dropped = await drop(await reading.withId(id, FORGOTTEN_AT_ONCE));
          forgotten += dropped;
        } while (dropped > 0);
      }
      return forgotten;
    },
  };
}

function makeReadEvents({ connection, keys }: LedgerPlace) {
  /** Reads the events with these ids, in order. Ids of events that are not kept are left out. */
  async function read(ids: readonly string[]): Promise<KeptEvent[]> {
    const found = await Promise.all(ids.map((id) => connection.hmget(keys.event(id), 'seen', 'ids', 'became')));
    return found.flatMap(([seen, named, became], place) => {
      const read = became ? { became: JSON.parse(became) as EventBecame } : {};
      return seen ? [{ ...toEvent(ids[place] ?? '', seen, named ?? ''), ...read }] : [];
    });
  }

  /** Ids of the events that contain this id, in capital or small letters, the latest first. The first `behind` events are skipped. */
  async function withId(id: string, count: number, behind = 0): Promise<string[]> {
    const digest = packedDigest(id);
    const [from, to] = [Buffer.concat([BRACKET, digest]), Buffer.concat([PARENTHESIS, digest, BEHIND])];
    const bucket = keys.eventIds(String(Math.floor(digest.readUInt16BE(0) / DIGESTS_OF_BUCKET)));
    const entries = await connection.zrangeBuffer(bucket, to, from, 'BYLEX', 'REV', 'LIMIT', behind, count);
    return entries.map((entry) => entry.toString('latin1', BEFORE_NAME));
  }

  /** The latest events that contain this id exactly as written; the index has digests of small letters only. */
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

    /** An event with its content; undefined if it is not kept. */
    async raw(id: string): Promise<RawEvent | undefined> {
      const [[event], content] = await Promise.all([
        read([id]),
        connection.hmgetBuffer(keys.event(id), 'body', 'headers'),
      ]);
      const [body, headers] = content;
      if (!event || !body || !headers) return undefined;
      return { ...event, body, headers: JSON.parse(headers.toString()) as RawEvent['headers'] };
    },

    /** Number and size of the kept events. */
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

    /** Number of kept events that first came since this moment. */
    countSince: (sinceMs: number): Promise<number> => connection.zcount(keys.eventsLately, sinceMs, '+inf'),

    /** Events in pages. One that is kept during the whole walk comes once; one that arrives in the meantime may be missed. */
    async *walk({ sinceMs, from }: EventWalk): AsyncGenerator<KeptEvent[]> {
      let edge = from === 'oldest' ? String(sinceMs ?? '-inf') : '+inf';
      let seen = new Set<string>();
      for (;;) {
        // Many events may share a millisecond, so the next page is longer by the events of that millisecond that came already.
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
     * Events that contain any of these ids, the latest first, at most `count` for each id. Ids must match exactly, and be among those of
     * the event that are indexed.
     */
    async naming(ids: readonly string[], { count }: { count: number }): Promise<KeptEvent[]> {
      const named = (await Promise.all([...new Set(ids)].map((id) => asWritten(id, count)))).flat();
      const found = [...new Map(named.map((event) => [event.id, event])).values()];
      return found.toSorted((one, other) => other.firstMs - one.firstMs || (one.id < other.id ? -1 : 1));
    },
  };
}

/** Events read at a time: some 20 kB without their content. */
const PAGE = 100;

/** Most index entries read for one id. Entries with other letter case are skipped: they are another id, or somebody's mischief. */
const MOST_LOOKED_AT = 1_000;

/** Which events a walk visits: those since a moment, in the order of their first arrival. */
type EventWalk = { sinceMs?: number | undefined; from: 'oldest' | 'latest' };

/**
 * The constants of event-index in events.lua. `BEFORE_NAME`: bytes of digest and time before the event's id in an index entry.
 * `DIGESTS_OF_BUCKET`: digests of ids in each bucket of the index.
 */
const BEFORE_NAME = 12;
const DIGESTS_OF_BUCKET = 4;

const [BRACKET, PARENTHESIS] = [Buffer.from('['), Buffer.from('(')];
/** A byte that sorts behind every time of arrival. After a digest of an id, it sorts behind all index entries of that digest. */
const BEHIND = Buffer.from([0xff]);

function pairsOf(found: readonly string[]): [id: string, score: string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < found.length; at += 2) pairs.push([found[at] ?? '', found[at + 1] ?? '']);
  return pairs;
}

/** Reads an event from its fields; for the field `seen`, see event-index in events.lua. */
function toEvent(id: string, seen: string, ids: string): KeptEvent {
  const [firstMs = 0, lastMs = 0, times = 0, sizeBytes = 0, , moreIds = 0] = seen.split(' ', 6).map(Number);
  return { id, firstMs, lastMs, times, sizeBytes, ids: ids === '' ? [] : ids.split(' '), moreIds };
}
