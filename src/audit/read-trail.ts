import type { RedisConnection } from '../lua-script.ts';
import type { AuditKeys } from './append.ts';
import { type AuditEntry, exportLine, type KeptEntry, readEntry } from './entry.ts';

/** An entry in Redis. `place`: its number, taken from the stream's id; undefined for an id of a form that Limitline never writes. */
type PlacedEntry = KeptEntry & { id: string; place: number | undefined };

/** Entries that one command reads, some hundred kilobytes: Redis needs a millisecond or two for them, so other commands hardly wait. */
const PAGE = 1_000;

/** A filter of entries: each text may be anywhere in its field, in any case. `about` is looked for in the fact `portfolios`, too. */
export type AuditFilter = { by?: string; what?: string; about?: string; sinceMs?: number };

type AuditPage = {
  /** The newest first. */
  entries: AuditEntry[];
  /** The entries below this number come next; undefined if the beginning of the trail was reached. */
  next: number | undefined;
};

export type TrailReader = ReturnType<typeof makeTrailReader>;

/** Reads the trail without checking it; `verify` does that. */
export function makeTrailReader({ connection, keys }: { connection: RedisConnection; keys: AuditKeys }) {
  const range = async (from: string, to: string, count: number) =>
    (await connection.xrange(keys.audit, from, to, 'COUNT', count)).map(toPlaced);
  /** The first entry from this number on. */
  const at = async (number: number) => (await range(`${number}-0`, '+', 1))[0];

  /** All entries from a number on, the oldest first, in pages; the next page is read while the caller works. */
  async function* pages(from = 0): AsyncGenerator<PlacedEntry[]> {
    let reading = range(`${from}-0`, '+', PAGE);
    for (;;) {
      const page = await reading;
      const last = page.at(-1);
      if (last && page.length === PAGE) reading = range(`(${last.id}`, '+', PAGE);
      // An error of the next page is ignored at this point: if the caller stops or throws, nobody awaits that page.
      reading.catch(() => {});
      if (last) yield page;
      if (page.length < PAGE) return;
    }
  }

  return {
    at,

    count: (): Promise<number> => connection.xlen(keys.audit),

    pages,

    /**
     * A page of entries that match a filter, the newest first. At most `walk` entries are read, so that a page comes soon; `next` then says
     * where to continue, even if only few of them match, or none.
     */
    async page(given: {
      before?: number | undefined;
      count: number;
      filter?: AuditFilter;
      walk: number;
    }): Promise<AuditPage> {
      const { before, count, filter = {}, walk } = given;
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
     * The last entry of those at the trail's beginning that are all older than `atMs`; undefined if the first entry is not older. They are
     * read one by one, so that a clock that was wrong for a while does not make later entries look old.
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

    /** The first entry not older than a time, by binary search: entries are in the order of their times. */
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

/**
 * The whole trail as NDJSON, the oldest entry first, in pages. Each line is an entry's exact text with its link, so that it can be checked
 * without Redis.
 *
 * @param counts is updated with the number of entries
 */
export async function* exportLines(
  reader: TrailReader,
  counts: { entries: number } = { entries: 0 },
): AsyncGenerator<string> {
  for await (const page of reader.pages()) {
    counts.entries += page.length;
    yield page.map((entry) => `${exportLine(entry)}\n`).join('');
  }
}

function isOpen({ by, what, about }: AuditFilter): boolean {
  return by === undefined && what === undefined && about === undefined;
}

function makeIsMeant({ by, what, about }: AuditFilter): (entry: AuditEntry) => boolean {
  const parts = Object.entries({ by, what, about }).flatMap(([field, text]) =>
    text === undefined ? [] : [[field as 'by' | 'what' | 'about', text.toLowerCase()] as const],
  );
  return (entry) =>
    parts.every(([field, text]) => {
      // The field `about` of an entry on many portfolios names only the first of them, so the fact `portfolios` is searched too.
      const more = field === 'about' ? ` ${entry.facts?.portfolios ?? ''}` : '';
      return `${entry[field] ?? ''}${more}`.toLowerCase().includes(text);
    });
}

/** A stored entry for display, even if somebody made it unreadable. */
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
    // Entries that we wrote have the fields `e` and `l` in this order. An entry with other fields is read as empty, and so has no valid
    // link.
    text: fields[0] === 'e' ? (fields[1] ?? '') : '',
    link: fields[2] === 'l' ? (fields[3] ?? '') : '',
  };
}
