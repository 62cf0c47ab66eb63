import type { RedisConnection } from '../lua-script.ts';
import type { AuditKeys } from './append.ts';
import { type AuditEntry, type KeptEntry, readEntry } from './entry.ts';

/** An entry as it stands in Redis. `place` is the number by its id; nothing where no writer of ours made such an id. */
export type PlacedEntry = KeptEntry & { id: string; place: number | undefined };

/** Some hundred kilobytes: Redis answers within a millisecond or two, and others wait no longer. */
const PAGE = 1_000;

/** What entries are looked for: each text anywhere in the field, upper case or not. */
export type AuditFilter = { by?: string; what?: string; about?: string; sinceMs?: number };

export type AuditPage = {
  /** The newest first. */
  entries: AuditEntry[];
  /** The number below which to go on; nothing where the trail was read to its beginning. */
  next: number | undefined;
};

export type TrailReader = ReturnType<typeof makeTrailReader>;

/** Reads the trail as it stands, believing what it says; whether that is true is for `verify`. */
export function makeTrailReader({ connection, keys }: { connection: RedisConnection; keys: AuditKeys }) {
  const range = async (from: string, to: string, count: number) =>
    (await connection.xrange(keys.audit, from, to, 'COUNT', count)).map(toPlaced);
  /** The next one from a number on. */
  const at = async (number: number) => (await range(`${number}-0`, '+', 1))[0];

  /** All entries from a number on, the oldest first, a page at a time; the next page is read while one is dealt with. */
  async function* pages(from = 0): AsyncGenerator<PlacedEntry[]> {
    let reading = range(`${from}-0`, '+', PAGE);
    for (;;) {
      const page = await reading;
      const last = page.at(-1);
      if (last && page.length === PAGE) reading = range(`(${last.id}`, '+', PAGE);
      // Who stops reading, or stumbles, leaves it behind.
      reading.catch(() => {});
      if (last) yield page;
      if (page.length < PAGE) return;
    }
  }

  return {
    at,

    /** How many entries there are. */
    count: (): Promise<number> => connection.xlen(keys.audit),

    pages,

    /**
     * A page of what a filter means, the newest first. At most `walk` entries are looked at, so that a page comes soon whatever
     * is looked for; `next` then says where to go on, also with few entries or none.
     */
    async page({
      before,
      count,
      filter = {},
      walk,
    }: {
      before?: number | undefined;
      count: number;
      filter?: AuditFilter;
      walk: number;
    }): Promise<AuditPage> {
      const entries: AuditEntry[] = [];
      let [top, left] = [before === undefined ? '+' : `(${before}-0`, walk];
      const isMeant = makeIsMeant(filter);
      while (left > 0) {
        const size = Math.min(PAGE, left, isOpen(filter) ? count - entries.length + 1 : PAGE);
        const found = (await connection.xrevrange(keys.audit, top, '-', 'COUNT', size)).map(toPlaced);
        for (const placed of found) {
          const entry = readPlaced(placed);
          if (entry.atMs < (filter.sinceMs ?? 0)) return { entries, next: undefined };
          if (!isMeant(entry)) continue;
          if (entries.length === count) return { entries, next: entries.at(-1)?.number ?? 0 };
          entries.push(entry);
        }
        const last = found.at(-1);
        if (!last || found.length < size) return { entries, next: undefined };
        [top, left] = [`(${last.id}`, left - found.length];
        if (left <= 0) return { entries, next: Number(last.id.split('-')[0]) };
      }
      return { entries, next: undefined };
    },

    /**
     * The last entry of those at the beginning that are all older than a time. They are gone through one by one, so that a clock
     * that was wrong for a while makes none of those behind it look old.
     */
    async lastOlder(atMs: number): Promise<PlacedEntry | undefined> {
      let last: PlacedEntry | undefined;
      for await (const page of pages()) {
        for (const placed of page) {
          if (!(readPlaced(placed).atMs < atMs)) return last;
          last = placed;
        }
      }
      return last;
    },

    /** The first entry that is not older than a time, by halving: entries come in the order of their times. */
    async firstSince(atMs: number): Promise<PlacedEntry | undefined> {
      const [first] = await range('-', '+', 1);
      const [newest] = (await connection.xrevrange(keys.audit, '+', '-', 'COUNT', 1)).map(toPlaced);
      if (!first || !newest) return undefined;
      let [low, high] = [first.place ?? 0, (newest.place ?? 0) + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const found = await at(middle);
        if (found && readPlaced(found).atMs < atMs) low = Math.max(middle, found.place ?? 0) + 1;
        else high = middle;
      }
      return at(low);
    },
  };
}

function isOpen({ by, what, about }: AuditFilter): boolean {
  return by === undefined && what === undefined && about === undefined;
}

function makeIsMeant({ by, what, about }: AuditFilter): (entry: AuditEntry) => boolean {
  const parts = Object.entries({ by, what, about }).flatMap(([field, text]) =>
    text === undefined ? [] : [[field as 'by' | 'what' | 'about', text.toLowerCase()] as const],
  );
  return (entry) => parts.every(([field, text]) => (entry[field] ?? '').toLowerCase().includes(text));
}

/** What was changed by somebody so that it is no entry any more is shown all the same: as what it is. */
function readPlaced({ text, place }: PlacedEntry): AuditEntry {
  const entry = readEntry(text);
  const number = place ?? entry?.number ?? 0;
  if (entry) return { ...entry, number };
  return { number, atMs: Number.NaN, account: '', by: '', what: 'not an entry', from: '', prev: '' };
}

function toPlaced([id, fields]: [id: string, fields: string[]]): PlacedEntry {
  const place = /^(\d+)-0$/.exec(id)?.[1];
  return {
    id,
    place: place === undefined ? undefined : Number(place),
    // Written by us they stand in this order; whatever else is there has no link that holds.
    text: fields[0] === 'e' ? (fields[1] ?? '') : '',
    link: fields[2] === 'l' ? (fields[3] ?? '') : '',
  };
}
