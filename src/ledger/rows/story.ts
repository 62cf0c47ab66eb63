import type { CallKind, CallRecord } from '../../call-kind.ts';
import type { Thing } from '../calls/claim-answers.ts';
import { livingWorkers } from '../calls/fleet.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { redisNowMs } from '../schema/redis-reads.ts';
import type { RowState, Step } from '../schema/row.ts';
import { type RowId, rowIdOf, rowName, rowNamed } from '../schema/schema.ts';

/** An unusual event of a row, as scripts and moves write it into the row's history. Times are ms of Redis' clock. */
export type StoryEvent =
  /** A call was sent, and its outcome is unknown. */
  | { is: 'unknown'; kind: CallKind; sentMs?: number; heard: string }
  /** A setting sent the call again after an unknown outcome. */
  | { is: 'sent again'; kind: CallKind }
  /** The service refused. `late`: the outcome had been unknown until then. */
  | { is: 'refused'; kind: CallKind; sentMs?: number; status?: number; body: string; late?: boolean }
  /** A response arrived after all, and the thing was made. */
  | { is: 'made late'; kind: CallKind; id: string }
  | { is: 'made twice'; kind: CallKind; id: string; again: string }
  | { is: 'held'; step: Step; message: string }
  /** The row is refused, though the service did not refuse it. */
  | { is: 'failed'; step: Step; message: string }
  | ({ is: 'retried'; by: string; from: RowState } & ByRule)
  /** Somebody wants to send the row again, or says what became of its call; another person has to approve that. */
  | ({ is: 'asked'; by: string; from: RowState } & ByRule)
  /** Another person approved or declined what was asked. */
  | { is: 'approved' | 'declined'; by: string; words?: string }
  /** The row's call is no longer in doubt, so the row goes on by itself. */
  | { is: 'freed' }
  /** A person said what became of a call; without `made` it may be sent again. */
  | { is: 'resolved'; kind: CallKind; by: string; made?: string }
  | { is: 'cancelled'; by: string }
  /** A file brought what the service said later of the limit; `before` is what it had said. `at`: when the service decided, in ISO 8601. */
  | { is: 'decided'; by: string; file: string; at: string; said: CallRecord; before?: CallRecord }
  /** A file brought another request; `before` is the earlier one, as JSON, cut to 1,000 bytes. */
  | { is: 'mended'; import: string; from: RowState; before: string }
  | { is: 'imported again'; import: string; from: RowState }
  /** Another row, with the key `by`, replaces this row; `left out`: a later file has no valid line for this row. */
  | { is: 'replaced'; import: string; by: string }
  | { is: 'left out'; import: string };

/** If a nightly rule sends the row again: the rule, the number of this night for the row, and of how many nights at most. */
type ByRule = { rule?: string; night?: number; of?: number };

export type StoryEntry = StoryEvent & { atMs: number };

/** A decision as its call keeps it: who brought it, with which file that was taken when, and what the service said. */
export type KeptDecision = { by: string; file: string; at?: string; said?: CallRecord };

/**
 * The last of the decisions that a call keeps (decide.lua); undefined for none, and for what cannot be read. A call decided before 27
 * November 2026 has its last decision alone, as an object instead of a list.
 */
export function lastDecision(text: string | null | undefined): KeptDecision | undefined {
  try {
    return text ? [JSON.parse(text)].flat().at(-1) : undefined;
  } catch {
    return undefined;
  }
}

/** What the ledger knows of a call, also of an ordinary one, which has no entry in its row's history. */
export type KnownCall = {
  kind: CallKind;
  key: string;
  state: 'free' | 'claimed' | 'unknown' | 'made';
  /** When the call was last claimed; the send follows some ms later. */
  atMs: number | undefined;
  /** Time in ms from the claim until the response was written down. */
  tookMs: number | undefined;
  /** How often the call was claimed and not given back unsent. */
  sends: number;
  /** Of a limit: the id of its portfolio's supplier when it was sent last; '' for none. */
  supplier: string;
  id: string;
  /** The id of a second thing that was made. */
  again: string;
  /** The rest of the service's last response or decision about the thing. `answered`: the rest of its response before the first decision. */
  record: CallRecord;
  answered: CallRecord | undefined;
  decided: KeptDecision | undefined;
  /** The row for which the call was last claimed, `<portfolio>/<key>`. */
  row: string;
  /** Where the outcome came from, if not from a response: `a person`, `a results file`. */
  by: string;
  /** If the outcome is unknown: what came instead of a response, and when it was sent. */
  heard: string;
  lostMs: number | undefined;
};

/** A call that a process is sending, or was sending when it ended; times in ms. */
type ClaimLook = { kind: CallKind; processId: string; atMs: number; agoMs: number; isAlive: boolean };

export type HeldRow = { row: RowId; atMs: number };

/** The name of a held row with the time since when it is held, `1767258000000:q4/…`. A row that is held again gets another name. */
export function heldName({ row, atMs }: HeldRow): string {
  return `${atMs}:${rowName(row)}`;
}

/** Reads what {@link heldName} wrote; undefined for any other text. */
export function heldRowOf(text: string): HeldRow | undefined {
  const [, ms, name = ''] = /^(\d{1,15}):(.*)$/s.exec(text) ?? [];
  const row = rowIdOf(name);
  return row && ms !== undefined ? { row, atMs: Number(ms) } : undefined;
}

/** Which held rows to read: of one portfolio or all, behind `after`, `count` at most. */
type HeldRange = { portfolio?: string | undefined; after?: HeldRow | undefined; count: number };

/** Held rows read with one command, of all portfolios: some milliseconds of Redis' time. */
const HELD_PAGE = 1_000;

/** Held rows whose amounts are added up, and that one answer may name: more than an account ever holds, since outages trip the breaker. */
export const MOST_HELD = 5_000;

/** Most characters of a text in an entry, so that an entry stays below 2 kB. */
const MOST_TEXT = 1_000;

export type Stories = ReturnType<typeof makeStories>;

/** Reads what the ledger remembers of single rows and calls. */
export function makeStories({ connection, keys }: LedgerPlace) {
  const digestOf = ledgerScript(connection, 'general#set-digest');

  return {
    /** The last 50 unusual events of a row, oldest first. */
    async entries({ portfolio, key }: RowId): Promise<StoryEntry[]> {
      return (await connection.lrange(keys.story(portfolio, key), 0, -1)).flatMap(toEntry);
    },

    /** The state of these calls, in order; undefined for a call that was never claimed, or was refused. */
    async calls(things: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<(KnownCall | undefined)[]> {
      return Promise.all(
        things.map(async (thing) => toCall(thing, await connection.hgetall(keys.call(thing.kind, thing.key)))),
      );
    },

    /** Those of these calls that are claimed: since when by the server's clock, by whom, and whether that process sends heartbeats. */
    async claims(things: readonly Pick<Thing, 'kind' | 'key'>[]): Promise<ClaimLook[]> {
      const found = await Promise.all(
        things.map(({ kind, key }) => connection.hmget(keys.call(kind, key), 'state', 'owner', 'at')),
      );
      if (!found.some(([state]) => state === 'claimed')) return [];
      const [nowMs, living] = await Promise.all([redisNowMs(connection), livingWorkers({ connection, keys })]);
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

    /** The ids of a buyer's limits, the last `most` that were recorded, the latest at the end. */
    async buyerLimits(buyer: string, most: number): Promise<string[]> {
      return connection.lrange(keys.buyerLimits(buyer), -most, -1);
    },

    heldCount: (): Promise<number> => connection.zcard(keys.held),

    /**
     * The number of held rows of the account, and a digest of the first {@link MOST_HELD} with the order in which they were held. The
     * digest changes when other rows are held, and when a row is held again, which comes last then.
     */
    async heldDigest(): Promise<{ total: number; digest: string }> {
      const range = { from: 0, to: MOST_HELD - 1, scores: '' };
      const [digest, total] = (await digestOf({ set: keys.held }, range)) as [string, number];
      return { total, digest };
    },

    async held({ portfolio, after, count }: HeldRange): Promise<HeldRow[]> {
      const rows: HeldRow[] = [];
      const isMeant = ({ row, atMs }: HeldRow) =>
        (portfolio === undefined || row.portfolio === portfolio) && (!after || isHeldBehind({ row, atMs }, after));
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

/** Whether one held row comes behind another in Redis: ordered by time, and at equal times by the bytes of their names. */
export function isHeldBehind(held: HeldRow, after: HeldRow): boolean {
  if (held.atMs !== after.atMs) return held.atMs > after.atMs;
  return Buffer.compare(Buffer.from(rowName(held.row)), Buffer.from(rowName(after.row))) > 0;
}

/** Reads held rows from a reply of the form member, score, member, score … */
function toHeldRows(found: readonly string[]): HeldRow[] {
  const rows: HeldRow[] = [];
  for (let place = 0; place < found.length; place += 2) {
    rows.push({ row: rowNamed(found[place] ?? ''), atMs: Number(found[place + 1]) });
  }
  return rows;
}

/** An event as its entry's JSON, with texts cut. */
export function storyEntryText(event: StoryEvent): string {
  return JSON.stringify(event, (_name, value) => (typeof value === 'string' ? value.slice(0, MOST_TEXT) : value));
}

/** Reads an entry of a row's history, `<ms> <JSON>`. An unreadable entry is left out, so that the others are still shown. */
function toEntry(text: string): StoryEntry[] {
  const space = text.indexOf(' ');
  try {
    return [{ ...JSON.parse(text.slice(space + 1)), atMs: Number(text.slice(0, space)) }];
  } catch {
    return [];
  }
}

function toCall({ kind, key }: Pick<Thing, 'kind' | 'key'>, fields: Record<string, string>): KnownCall | undefined {
  // A refused call is free, without any time; its row's history has the response.
  if (fields.state === undefined || (fields.state === 'free' && fields.at === undefined)) return undefined;
  // The field is `<claimed>+<ms to the response>`, as settle.lua writes it; without a response only the first part.
  const [at, took] = fields.at?.split('+') ?? [];
  return {
    kind,
    key,
    state: fields.state as KnownCall['state'],
    atMs: numberOf(at),
    tookMs: numberOf(took),
    sends: Number(fields.sends ?? 0),
    supplier: fields.supplier ?? '',
    id: fields.id ?? '',
    again: fields.again ?? '',
    record: fields.record ? JSON.parse(fields.record) : {},
    answered: fields.answered ? JSON.parse(fields.answered) : undefined,
    decided: lastDecision(fields.decided),
    row: fields.row ?? '',
    by: fields.by ?? '',
    heard: fields.heard ?? '',
    lostMs: numberOf(fields.lostAt),
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text === undefined || text === '' ? undefined : Number(text);
}
