import type { CallRecord } from '../../call-outcome.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { batcherOf, makeGathered } from '../calls/batches.ts';
import { ledgerScript } from '../schema/gated-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowRequest, RowState } from '../schema/row.ts';
import { type RowId, rowIdOf, rowName } from '../schema/schema.ts';
import { type KeptDecision, lastDecision } from './story.ts';

/** What the service said later of a limit; see lua/decide.lua. */
export type LaterWord = {
  /** The limit's id. */
  limit: string;
  /** The key of the request, where the row is named: a service may have answered one id to several. */
  key?: string | undefined;
  status: string;
  /** Decimal text; '' says that none is known, undefined that nothing is said of it: then the total that is known stays. */
  total: string | undefined;
  available: string | undefined;
  /** When it was decided, in ISO 8601 with ms, UTC: texts of one length, which compare as times do. */
  at: string;
  /** Whether the service gave that time. A decision without a time that repeats what is known changes nothing. */
  isDated: boolean;
  /** Whether the decision came in an event. */
  isOfEvent?: boolean;
};

/**
 * What became of a later word. `taken`: it is the latest. `same`: it says what is known. `older`: a later one is known, or the call
 * that was answered was sent later. `contradicts`: another
 * one of the same moment is known. `not made`: the limit is not the one that counts for its request. `damaged`: its call cannot be read.
 */
export type DecidedAs = 'taken' | 'same' | 'older' | 'contradicts' | 'not made' | 'damaged';

/**
 * A limit: the key of its request, the row for which it was made, and when it was asked for, in ms. Buyer and requested amount are '' if that
 * row is not in Redis.
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
  /** What the service said last. */
  record: CallRecord;
  /** Its last decision that said something else; undefined if there was none. */
  decided: KeptDecision | undefined;
  /** When the service said last what it says now, in ISO 8601; '' if there was no decision. */
  decidedAt: string;
};

/** A row that says something else since a decision: which one of the account, the row's name, and what the service said. */
export type DecidedRow = {
  member: string;
  number: number;
  row: string;
  status: string;
  total?: string | null;
  atMs: number;
};

/**
 * How much later than its file says a decision may have been made: a time without a zone may be of another one, and a clock wrong. Events have
 * no such allowance, since a person writes none of them.
 */
const FILE_MARGIN_MS = 86_400_000;

/** Commands sent at once, and names that one script reads. */
const AT_ONCE = 500;

/** Limits that one script reads or decides: some milliseconds of Redis' time. */
const LIMITS_AT_ONCE = 50;

/** Scripts of these that are sent before earlier ones are answered, so that Redis need not wait, and writes both to the disk at once. */
const LIMITS_UNDER_WAY = 2;

/** A request, its buyer or '', and rows of it by name that may be there. */
type Asked = { key: string; buyer: string; names: readonly string[] };

export type Decided = ReturnType<typeof makeDecisions>;

/** Decisions of the service that come after its answer. */
export function makeDecisions({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
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

  /** Up to which number rows are told, and the state that is remembered of the notice's subject for it. */
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
      // A results file tells when a row changed last, which may be later than a decision.
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
     * Takes a later word, for the call of the limit; its rows say it once they {@link follow}.
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
     * The rows of a limit's request: the one for which it was made, and others that skipped it since it was made before. Without those of
     * forgotten portfolios; those of archived ones are known where the buyer has few requests.
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

    /** The rows of whose decisions people are not told yet, the earliest first. */
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

    /** Takes those of these rows off {@link untold} that a notice of the subject has told. */
    async noteTold(subject: string, rows: readonly DecidedRow[]): Promise<void> {
      const { number: last } = await toldTo(subject);
      const told = rows.filter(({ number }) => number <= last);
      for (let from = 0; from < told.length; from += AT_ONCE) {
        const page = told.slice(from, from + AT_ONCE);
        const [first = 0, end = 0] = [page[0]?.number, page.at(-1)?.number];
        // Numbers without a gap are those of these rows alone.
        if (end - first + 1 === page.length) await connection.zremrangebyscore(keys.decidedRows, first, end);
        else await connection.zrem(keys.decidedRows, ...page.map(({ member }) => member));
      }
    },

    /**
     * Lets a row say what its limit's call says. Answers `follows` if it said something else before.
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

/** What the service said, as a call keeps it; nothing if that cannot be read, which {@link DecidedAs} tells. */
function recordIn(text: string | null | undefined): CallRecord {
  try {
    return JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
}
