import type { CallRecord } from '../../call-kind.ts';
import { DAY_MS } from '../../time-units.ts';
import { batcherOf, makeGathered } from '../calls/batches.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import type { RowRequest, RowState } from '../schema/row.ts';
import { type RowId, rowIdOf, rowName } from '../schema/schema.ts';
import { type KeptDecision, lastDecision } from './story.ts';

/** A decision of the service about a limit that comes after its first answer (lua/decide.lua). */
export type LaterWord = {
  /** The limit's id. */
  limit: string;
  /** The key of the limit's request, if the decision names the row: the service may have answered several requests with one id. */
  key?: string | undefined;
  status: string;
  /**
   * The total limit as decimal text. `''`: the decision says that none is known. Undefined: the decision does not mention it, so the known
   * total stays.
   */
  total: string | undefined;
  available: string | undefined;
  /** When the service decided, in ISO 8601 with ms, UTC: texts of one length, which compare as times do. */
  at: string;
  /** Whether the service gave the time `at`. A decision without a time that repeats what is known changes nothing. */
  isDated: boolean;
  /** Whether the decision came in an event. */
  isOfEvent?: boolean;
};

/**
 * The result of taking in a decision. `taken`: it is the latest. `same`: it says what is known already. `older`: a later decision is known,
 * or the call was sent only after this decision, so that the call's answer is newer. `contradicts`: another decision of the same moment is
 * known. `not made`: the limit is not the one that counts for its request. `damaged`: the limit's call cannot be read.
 */
export type DecidedAs = 'taken' | 'same' | 'older' | 'contradicts' | 'not made' | 'damaged';

/**
 * A limit: the key of its request, the row for which it was made, and when it was asked for, in ms. Buyer and requested amount are '' if
 * that row is not in Redis.
 */
export type DecidedLimit = {
  key: string;
  maker: RowId | undefined;
  askedMs: number;
  requested: string;
  buyer: string;
  /** The first rows of other requests whose limits were answered with the same id, as text; '' for none. */
  shared: string;
  /** The buyer's name and the number of the row's import; '' if that row is not in Redis. */
  name: string;
  importId: string;
  /** The service's last response or decision on the limit. */
  record: CallRecord;
  /** The last decision that changed what the service had said of the limit; undefined if there was none. */
  decided: KeptDecision | undefined;
  /** The time of the last decision that made or repeated what the service says of the limit now, in ISO 8601; '' for none. */
  decidedAt: string;
};

/**
 * A row whose limit a decision has changed, with what the service said. `number`: the decision's number in the account, by which people are
 * told of each decision once.
 */
export type DecidedRow = {
  member: string;
  number: number;
  row: string;
  status: string;
  total?: string | null;
  atMs: number;
};

/**
 * The most by which a decision may have been made later than its file says: its time may be without a time zone, or a clock may be wrong.
 * Events have no such allowance, since no person writes their times.
 */
const FILE_MARGIN_MS = DAY_MS;

/** Commands sent at once, and names that one script reads. */
const AT_ONCE = 500;

/** Limits that one script reads or decides: some milliseconds of Redis' time. */
const LIMITS_AT_ONCE = 50;

/** The number of scripts under way at once, so that Redis always has work, and writes several of them to the disk together. */
const LIMITS_UNDER_WAY = 2;

/** A request, its buyer or '', and the names of rows that may belong to it and may be in Redis. */
type Asked = { key: string; buyer: string; names: readonly string[] };

export type Decided = ReturnType<typeof makeDecisions>;

/** Decisions of the service that come after its answer. */
export function makeDecisions({ connection, keys }: LedgerPlace) {
  const runInBatch = batcherOf(connection, keys);
  const gathered = <Item, Answer>(
    name: string,
    argsOf: (item: Item) => readonly (string | number)[],
    mostAtOnce = LIMITS_AT_ONCE,
  ) => {
    const run = ledgerScript(connection, name);
    const runAll = (items: readonly Item[]) => run([keys.account], items.flatMap(argsOf)) as Promise<Answer[]>;
    return makeGathered(runAll, mostAtOnce, LIMITS_UNDER_WAY);
  };
  const readLimit = gathered<Pick<LaterWord, 'limit' | 'key'>, string[] | 0>(
    'find#find-limits',
    ({ limit, key = '' }) => [limit, key],
  );
  const takeWord = gathered<(string | number)[], DecidedAs>('decide', (word) => word);
  const asked = ({ key, buyer, names }: Asked) => [key, buyer, names.length, ...names];
  const rowsThere = gathered<Asked, string[] | 0>('request-rows', asked);
  const manyThere = gathered<Asked, string[] | 0>('request-rows', asked, 1);

  /**
   * The number up to which people were told of decided rows by notices of this subject, and the subject's stored state, from which the
   * number is read.
   */
  async function toldTo(subject: string): Promise<{ number: number; was: string }> {
    const was = (await connection.hget(keys.noticeStates, subject)) ?? '';
    return { number: Number(/^up to (\d+)$/.exec(was)?.[1] ?? 0), was };
  }

  return {
    /** The state of a row, as results name it (`<portfolio>/<key>`), and the id of its limit; undefined where Redis has no such row. */
    async limitOf(name: string): Promise<{ state: RowState; limit: string | undefined } | undefined> {
      const row = rowIdOf(name);
      const [state, limit] = row ? await connection.hmget(keys.row(row.portfolio, row.key), 'state', 'limit') : [];
      return state ? { state: state as RowState, limit: limit || undefined } : undefined;
    },

    /** The limit with this id; undefined if no call of the account made it. */
    async find(limit: string, key?: string): Promise<DecidedLimit | undefined> {
      const one = await readLimit({ limit, key });
      if (one === 0) return undefined;
      const [own = '', row, at, record, by, decided, of, importId = '', shared = ''] = one;
      const request = of ? (JSON.parse(of) as RowRequest) : undefined;
      // A call that a results file brought back has the time of the row's last change, which may be later than a decision. So it counts as
      // asked for at 0.
      const askedMs = by === 'a results file' ? 0 : Number(at?.split('+')[0] ?? 0);
      const said = recordIn(record);
      return {
        key: own,
        maker: rowIdOf(row ?? ''),
        askedMs,
        decided: lastDecision(decided),
        decidedAt: said.decided_at ?? '',
        requested: request?.limit.requested_limit ?? '',
        buyer: request?.buyer ?? '',
        name: request?.name ?? '',
        importId,
        shared,
        record: said,
      };
    },

    /**
     * Takes a decision of the service into the call of its limit. The rows of the limit show the decision only after {@link follow}.
     *
     * @param told who brought it, with which file, for the histories of its rows; `at`: when the file was taken, which stands with the call alone
     * @param isTold false only answers what would become of it
     */
    async decide(
      { key }: DecidedLimit,
      { limit, isDated, ...word }: LaterWord,
      { by, file, at: takenAt }: { by: string; file: string; at?: string },
      isTold = true,
    ): Promise<DecidedAs> {
      const { status, total = '=', available = '=', at, isOfEvent } = word;
      const latestMs = isOfEvent || isDated ? Date.parse(at) + (isOfEvent ? 0 : FILE_MARGIN_MS) : '';
      const told = JSON.stringify({ by, file, at: takenAt });
      return takeWord([key, limit, status, total, available, at, isDated ? 1 : 0, latestMs, isTold ? 1 : 0, told]);
    },

    /**
     * The rows of a limit's request, in all portfolios: the row for which the limit was made, and rows that were skipped since it existed.
     * Rows of forgotten portfolios are left out, and so are rows of archived portfolios if the buyer has many requests.
     *
     * @param portfolios reads all of the account: only where the buyer's requests do not tell
     */
    async rowsOf({ key, maker, buyer }: DecidedLimit, portfolios: () => Promise<readonly string[]>): Promise<RowId[]> {
      const made = maker ? [rowName(maker)] : [];
      const some = buyer === '' ? 0 : await rowsThere({ key, buyer, names: made });
      const rows: string[] = some || [];
      const named = some === 0 ? (await portfolios()).map((name) => `${name}/${key}`) : [];
      const all = some === 0 ? [...new Set([...made, ...named])] : [];
      for (let from = 0; from < all.length; from += AT_ONCE)
        rows.push(...((await manyThere({ key, buyer: '', names: all.slice(from, from + AT_ONCE) })) || []));
      return rows.flatMap((name) => rowIdOf(name) ?? []);
    },

    /** The rows that a decision has changed and of which people are not told yet, the earliest first. */
    async untold(): Promise<DecidedRow[]> {
      const rows: DecidedRow[] = [];
      for (let after = 0; ; after = rows.at(-1)?.number ?? 0) {
        const page = await connection.zrangebyscore(keys.decidedRows, `(${after}`, '+inf', 'LIMIT', 0, AT_ONCE);
        rows.push(
          ...page.map((member): DecidedRow => {
            const [number = ''] = member.split(' ', 1);
            return { member, number: Number(number), ...JSON.parse(member.slice(number.length)) };
          }),
        );
        if (page.length < AT_ONCE) return rows;
      }
    },

    toldTo,

    /** Removes rows from the list of {@link untold} if a notice of this subject has told people of them. */
    async noteTold(subject: string, rows: readonly DecidedRow[]): Promise<void> {
      const { number: last } = await toldTo(subject);
      const told = rows.filter(({ number }) => number <= last);
      for (let from = 0; from < told.length; from += AT_ONCE) {
        const page = told.slice(from, from + AT_ONCE);
        const [first = 0, end = 0] = [page[0]?.number, page.at(-1)?.number];
        // If the page's numbers have no gap, the range contains no other rows.
        if (end - first + 1 === page.length) await connection.zremrangebyscore(keys.decidedRows, first, end);
        else await connection.zrem(keys.decidedRows, ...page.map(({ member }) => member));
      }
    },

    /**
     * Lets a row take over what its limit's call says after a decision. Answers `follows` if the row said something else before.
     *
     * @param told who brings it, and with which file: the row's history names them for a decision whose bringer the call has not kept.
     *   Without it nothing is changed.
     * @throws LimitlineError `USAGE` for a row of a portfolio that is archived, or on the way there
     */
    async follow(
      row: RowId,
      limit: string,
      told?: { by: string; file: string },
    ): Promise<'follows' | 'same' | 'not made'> {
      const entry = told ? JSON.stringify(told) : '';
      return (await runInBatch(row, { move: 'follow', limit, told: entry })) as 'follows' | 'same' | 'not made';
    },
  };
}

/** The service's last words on a limit, as its call keeps them. For unreadable text it is {}; {@link DecidedAs} then says `damaged`. */
function recordIn(text: string | null | undefined): CallRecord {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}
