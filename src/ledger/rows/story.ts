import type { CallKind } from '../../call-kind.ts';
import type { RedisConnection } from '../../lua-script.ts';
import type { CallRecord } from '../../outcome.ts';
import type { Thing } from '../calls/claim-answers.ts';
import { livingWorkers } from '../calls/fleet.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowState, Step } from '../schema/row.ts';
import { type RowId, rowName } from '../schema/schema.ts';

/** What happened to a row out of the ordinary, as Lua and the moves of rows write it down. Times are ms of Redis' clock. */
export type StoryEvent =
  /** A call of it was sent, and nobody knows what became of it. */
  | { is: 'unknown'; kind: CallKind; sentMs?: number; heard: string }
  /** After an unknown outcome it was sent again, since the settings say so. */
  | { is: 'sent again'; kind: CallKind }
  /** The service said no. `late`: its outcome had been unknown until then. */
  | { is: 'refused'; kind: CallKind; sentMs?: number; status?: number; body: string; late?: boolean }
  /** An answer came after all, and the thing was made. */
  | { is: 'made late'; kind: CallKind; id: string }
  | { is: 'made twice'; kind: CallKind; id: string; again: string }
  | { is: 'held'; step: Step; message: string }
  /** It ended among the refused, though no service refused it. */
  | { is: 'failed'; step: Step; message: string }
  | ({ is: 'retried'; by: string; from: RowState } & ByRule)
  /** Somebody would send it again, or says what became of its call; another person is to approve that. */
  | ({ is: 'asked'; by: string; from: RowState } & ByRule)
  /** Another person said yes, or no, to that. */
  | { is: 'approved' | 'declined'; by: string; words?: string }
  /** Its call is in doubt no longer, so it goes on by itself. */
  | { is: 'freed' }
  /** A person said what became of a call; without `made` it may be sent again. */
  | { is: 'resolved'; kind: CallKind; by: string; made?: string }
  | { is: 'cancelled'; by: string }
  /** A file brought other words; `before` is the request as it was, as JSON, cut to 1,000 bytes. */
  | { is: 'mended'; import: string; from: RowState; before: string }
  | { is: 'imported again'; import: string; from: RowState }
  /** Another row stands in its place, by its key; or a file that replaces the others lacks its line. */
  | { is: 'replaced'; import: string; by: string }
  | { is: 'left out'; import: string };

/** Where a rule did it at night: which, and which night of how many that was for the row. */
type ByRule = { rule?: string; night?: number; of?: number };

export type StoryEntry = StoryEvent & { atMs: number };

/** What the ledger knows of a call: of one that went as it should, all there is to tell. */
export type KnownCall = {
  kind: CallKind;
  key: string;
  state: 'free' | 'claimed' | 'unknown' | 'made';
  /** When it was claimed last: it leaves some ms later. */
  atMs: number | undefined;
  /** From the claim to the answer that was written down. */
  tookMs: number | undefined;
  /** How often it was claimed; less those that were given back unsent, how often it left. */
  sends: number;
  id: string;
  /** The id of a second thing that was made. */
  again: string;
  record: CallRecord;
  /** The row for which it was claimed, `<portfolio>/<key>`. */
  row: string;
  /** Who knows of it, where no answer told: `a person`, `a results file`. */
  by: string;
  /** Of one whose outcome is unknown: what was heard instead of an answer, and when it was sent. */
  heard: string;
  lostMs: number | undefined;
};

/** A call that somebody is sending, or was sending when his process ended; times in ms. */
export type ClaimLook = { kind: CallKind; processId: string; atMs: number; agoMs: number; isAlive: boolean };

/** A held row, and when it was held, in ms. */
export type HeldRow = { row: RowId; atMs: number };

/** Which held rows are read: of one portfolio or of all, behind one that was read before, so many at the most. */
type HeldRange = { portfolio?: string | undefined; after?: HeldRow | undefined; count: number };

/** Some milliseconds of Redis' time, for the held rows of one portfolio among those of many. */
const HELD_PAGE = 1_000;

/** Of a text that is written down with an entry so much is kept: with its fields it stays below 2 kB. */
const MOST_TEXT = 1_000;

export type Stories = ReturnType<typeof makeStories>;

/** Reads what the ledger remembers of single rows and calls. */
export function makeStories({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  return {
    /** What happened to a row out of the ordinary, oldest first: the last 50 of it. */
    async entries({ portfolio, key }: RowId): Promise<StoryEntry[]> {
      return (await connection.lrange(keys.story(portfolio, key), 0, -1)).flatMap(toEntry);
    },

    /** What is known of these calls, in their order; nothing of one that was never claimed, or refused. */
    async calls(things: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<(KnownCall | undefined)[]> {
      return Promise.all(
        things.map(async (thing) => toCall(thing, await connection.hgetall(keys.call(thing.kind, thing.key)))),
      );
    },

    /** Those of these calls that are claimed: since when, by the server's clock, by whom, and whether that process gave a sign of life lately. */
    async claims(things: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<ClaimLook[]> {
      const found = await Promise.all(
        things.map(({ kind, key }) => connection.hmget(keys.call(kind, key), 'state', 'owner', 'at')),
      );
      if (!found.some(([state]) => state === 'claimed')) return [];
      const [[seconds, microseconds], living] = await Promise.all([
        connection.time(),
        livingWorkers({ connection, keys }),
      ]);
      const nowMs = Number(seconds) * 1_000 + Number(microseconds) / 1_000;
      const alive = new Set(living);
      return found.flatMap(([state, owner, at], place) => {
        if (state !== 'claimed') return [];
        const [processId = ''] = owner?.split('/') ?? [];
        const atMs = Number(at);
        return [
          { kind: things[place]?.kind ?? 'limit', processId, atMs, agoMs: nowMs - atMs, isAlive: alive.has(processId) },
        ];
      });
    },

    /** The limits of a buyer, in the order in which they were granted: its last `most`. */
    async buyerLimits(buyer: string, most: number): Promise<string[]> {
      return connection.lrange(keys.buyerLimits(buyer), -most, -1);
    },

    /** How many rows of the account are held. */
    heldCount: (): Promise<number> => connection.zcard(keys.held),

    /** Held rows, the oldest first: of all portfolios or of one, behind a row that was read before. */
    async held({ portfolio, after, count }: HeldRange): Promise<HeldRow[]> {
      const rows: HeldRow[] = [];
      const isMeant = ({ row, atMs }: HeldRow) =>
        (portfolio === undefined || row.portfolio === portfolio) && (!after || isBehind({ row, atMs }, after));
      for (let from = 0; rows.length < count; from += HELD_PAGE) {
        const limit = ['LIMIT', from, HELD_PAGE] as const;
        const found = await connection.zrange(
          keys.held,
          after?.atMs ?? '-inf',
          '+inf',
          'BYSCORE',
          ...limit,
          'WITHSCORES',
        );
        rows.push(...toHeldRows(found).filter(isMeant));
        if (found.length < 2 * HELD_PAGE) break;
      }
      return rows.slice(0, count);
    },
  };
}

/** `<portfolio>/<key>` */
function idOf(name: string): RowId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), key: name.slice(slash + 1) };
}

/** Redis has members of one score in the order of their bytes. */
function isBehind(held: HeldRow, after: HeldRow): boolean {
  if (held.atMs !== after.atMs) return held.atMs > after.atMs;
  return Buffer.compare(Buffer.from(rowName(held.row)), Buffer.from(rowName(after.row))) > 0;
}

/** Member, score, member, score … */
function toHeldRows(found: readonly string[]): HeldRow[] {
  const rows: HeldRow[] = [];
  for (let place = 0; place < found.length; place += 2) {
    rows.push({ row: idOf(found[place] ?? ''), atMs: Number(found[place + 1]) });
  }
  return rows;
}

/** An event as it is written down, its texts cut. */
export function storyEntryText(event: StoryEvent): string {
  return JSON.stringify(event, (_name, value) => (typeof value === 'string' ? value.slice(0, MOST_TEXT) : value));
}

/** `<ms> <JSON>`. One that nobody can read any more is left out rather than all of them. */
function toEntry(text: string): StoryEntry[] {
  const space = text.indexOf(' ');
  try {
    return [{ ...JSON.parse(text.slice(space + 1)), atMs: Number(text.slice(0, space)) }];
  } catch {
    return [];
  }
}

function toCall({ kind, key }: Pick<Thing, 'kind' | 'key'>, fields: Record<string, string>): KnownCall | undefined {
  // Of one that was refused only that is left; its row's story has the answer.
  if (fields.state === undefined || (fields.state === 'free' && fields.at === undefined)) return undefined;
  // `<claimed>+<ms to the answer>`, as settle.lua writes it; before the answer there is the first alone.
  const [at, took] = fields.at?.split('+') ?? [];
  return {
    kind,
    key,
    state: fields.state as KnownCall['state'],
    atMs: numberOf(at),
    tookMs: numberOf(took),
    sends: Number(fields.sends ?? 0),
    id: fields.id ?? '',
    again: fields.again ?? '',
    record: fields.record ? JSON.parse(fields.record) : {},
    row: fields.row ?? '',
    by: fields.by ?? '',
    heard: fields.heard ?? '',
    lostMs: numberOf(fields.lostAt),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}
