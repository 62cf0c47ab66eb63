import { makeLuaScript } from '../../lua-script.ts';
import { exactText } from '../counts/outcome-sums.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { scanKeys, scanned } from '../schema/redis-reads.ts';
import { is, type RowProblem, type RowRequest, type RowState } from '../schema/row.ts';
import { type RowId, rowIdOf, rowName, rowNamed } from '../schema/schema.ts';

/** One request of a buyer, as other lines of that buyer need it. */
export type BuyerRow = {
  row: RowId;
  /** The requested limit, as canonical decimal text. */
  amount: string;
  state: RowState;
  line: number;
  /** Number, within the portfolio, of the last import whose file had the row's line. */
  importId: string;
  /** State of the row's limit call; `free` if nothing was sent, or the send made nothing. */
  limit: 'free' | 'claimed' | 'unknown' | 'made';
  /** The import that replaced the row, and the key of the row in its place; '' if a file only lacked the row's line. */
  replaced: { importId: string; key: string } | undefined;
  /** Who declined the request, with the comment (`by NAME: WORDS`), and when; undefined if nobody declined it. */
  declined?: { words: string; atMs: number } | undefined;
  /** What the row asks for, where somebody has read it. */
  request?: RowRequest | undefined;
};

/**
 * The requests of a buyer. `count` includes archived requests without a limit, which `rows` lacks. `isWhole`: false if `rows` also lacks
 * others, since the buyer has very many.
 */
export type BuyerRows = { count: number; rows: BuyerRow[]; isWhole: boolean };

/** Whether a person gave the row up, with its whole portfolio or alone: no other row took its place, and nobody declined it. */
function isGivenUp({ state, replaced, declined }: BuyerRow): boolean {
  return state === 'cancelled' && replaced === undefined && declined === undefined;
}

/**
 * Whether a line for this row brings back what was given up: its own row or, without one, its request in every portfolio that has it. Not if a
 * portfolio has the request open, which sends it in any case, nor if its limit was sent.
 */
export function bringsBack({ portfolio, key }: RowId, rows: readonly BuyerRow[]): boolean {
  const same = rows.filter(({ row }) => row.key === key);
  const own = same.filter(({ row }) => row.portfolio === portfolio);
  const asked = own.length > 0 ? own : same;
  const goesOn = same.some(({ state, limit }) => is('isOpen', state) || limit !== 'free');
  return asked.length > 0 && asked.every(isGivenUp) && !goesOn;
}

/** The sum of rows that count for what their portfolio asks for: all but those that are cancelled. */
export function countedSum(rows: readonly (BuyerRow | undefined)[]): string {
  return exactText(rows.flatMap((row) => (row && row.state !== 'cancelled' ? [row.amount] : [])));
}

export const NO_BUYER_ROWS: BuyerRows = { count: 0, rows: [], isWhole: true };

/** Most requests of one buyer read by one script. */
const MOST_TOLD = 128;

/** Values that buyer-rows.lua tells of a request. */
const TOLD = 9;

/** Names of requests read with one command. */
const SCANNED = 1_000;

/** At most so many requests of one buyer are read, in pages: that takes tenths of a second, and 3 MB. */
export const MOST_READ = 10_000;

/** Buyers read by one script, which keeps Redis busy for milliseconds even if each has very many requests. */
const BUYERS_AT_ONCE = 50;

/** Reads the requests of buyers, in all portfolios of the account. */
export function makeBuyerRows({ connection, keys }: LedgerPlace) {
  const list = makeLuaScript(connection, new URL('../lua/buyer-rows.lua', import.meta.url));
  const tell = async (buyers: readonly string[], cursor: string) => {
    const places = { rows: keys.rows, limits: keys.call('limit', ''), buyers: buyers.map(keys.buyerRows) };
    return (await list(places, { most: MOST_TOLD, from: cursor })) as (string | number)[][];
  };
  return {
    /** Requests of a portfolio whose rows are missing, found by their buyers. Walks all buyers of the account; a row may come twice. */
    async *gone(portfolio: string): AsyncGenerator<{ row: RowId; amount: string }> {
      for await (const found of scanKeys(connection, keys.buyer(''))) {
        const hashes = found.filter((name) => name.endsWith(':rows'));
        const asked = await Promise.all(hashes.map((hash) => connection.hgetall(hash)));
        for (const [name, amount] of asked.flatMap(Object.entries<string>)) {
          const row = rowIdOf(name);
          if (row?.portfolio !== portfolio || (await connection.exists(keys.row(portfolio, row.key))) === 1) continue;
          yield { row, amount };
        }
      }
    },

    /** The requests of each of these buyers; only a part for a buyer with very many. */
    async ofBuyers(buyers: readonly string[]): Promise<Map<string, BuyerRows>> {
      const found = new Map<string, BuyerRows>();
      for (let from = 0; from < buyers.length; from += BUYERS_AT_ONCE) {
        const page = buyers.slice(from, from + BUYERS_AT_ONCE);
        const told = await tell(page, '0');
        for (const [place, buyer] of page.entries()) {
          const [count = 0, next, ...values] = told[place] ?? [];
          found.set(buyer, { count: Number(count), rows: toBuyerRows(values), isWhole: next === '0' });
        }
      }
      return found;
    },

    /** All requests of one buyer, in pages, up to `MOST_READ` or slightly more. `count` is of the beginning of the walk. */
    async wholeOf(buyer: string): Promise<BuyerRows> {
      const rows = new Map<string, BuyerRow>();
      let began: number | undefined;
      for (let cursor = '0'; ; ) {
        const [[count = 0, next = '0', ...values] = []] = await tell([buyer], cursor);
        began ??= Number(count);
        for (const row of toBuyerRows(values)) rows.set(rowName(row.row), row);
        cursor = String(next);
        if (cursor === '0' || rows.size > MOST_READ) {
          return { count: began, rows: [...rows.values()], isWhole: cursor === '0' };
        }
      }
    },

    /** The rows of all requests of one buyer, in pages. A row that exists during the whole walk comes at least once. */
    async *allOf(buyer: string): AsyncGenerator<RowId[]> {
      for await (const found of scanned((at) => connection.hscan(keys.buyerRows(buyer), at, 'COUNT', MOST_TOLD))) {
        yield found.filter((_, at) => at % 2 === 0).map(rowNamed);
      }
    },

    /**
     * A page of a buyer's requests, from index `from` on: those of the newest portfolios first, and those of archived ones last. To order
     * them, it reads `most` requests or slightly more; `count` is how many were read, and `isWhole` whether these are all of the buyer's.
     */
    async latestOf(buyer: string, { from, count, most }: { from: number; count: number; most: number }) {
      const amounts = new Map<string, string>();
      let cursor = '0';
      do {
        const [next, found] = await connection.hscan(keys.buyerRows(buyer), cursor, 'COUNT', SCANNED);
        for (let at = 0; at < found.length; at += 2) amounts.set(found[at] ?? '', found[at + 1] ?? '');
        cursor = next;
      } while (cursor !== '0' && amounts.size < most);
      const portfolioIn = (name: string) => name.slice(0, name.lastIndexOf('/'));
      const names = [...new Set([...amounts.keys()].map(portfolioIn))];
      const scores = names.length > 0 ? await connection.zmscore(keys.portfolios, ...names) : [];
      const begunMs = new Map(names.map((name, place) => [name, Number(scores[place] ?? 0)]));
      const placed = [...amounts.keys()].map((name) => ({ name, ms: begunMs.get(portfolioIn(name)) ?? 0 }));
      placed.sort((one, other) => other.ms - one.ms || (one.name < other.name ? -1 : 1));
      const shown = placed.slice(from, from + count);
      const rows = shown.map(({ name }) => ({ row: rowNamed(name), amount: amounts.get(name) ?? '' }));
      return { count: amounts.size, isWhole: cursor === '0', rows };
    },

    async ofRow(row: RowId): Promise<BuyerRow | undefined> {
      const fields = ['state', 'line', 'import', 'replaced', 'request'] as const;
      const [known, limit] = await Promise.all([
        connection.hmget(keys.row(row.portfolio, row.key), ...fields),
        connection.hget(keys.call('limit', row.key), 'state'),
      ]);
      const [state, line, importId, replaced, request] = known.map((value) => value ?? '');
      if (!state || !request) return undefined;
      const { limit: asked } = JSON.parse(request) as RowRequest;
      return toBuyerRow(row, [asked.requested_limit, state, line ?? '', importId ?? '', replaced ?? '', limit ?? '']);
    },
  };
}

function toBuyerRows(values: (string | number)[]): BuyerRow[] {
  const rows: BuyerRow[] = [];
  for (let place = 0; place < values.length; place += TOLD) {
    const [name = '', ...told] = values.slice(place, place + TOLD).map(String);
    rows.push(toBuyerRow(rowNamed(name), told));
  }
  return rows;
}

function toBuyerRow(row: RowId, values: string[]): BuyerRow {
  const [amount = '', state, line, importId = '', replaced = '', limit = '', updated, problem = ''] = values;
  const [replacer = '', key = ''] = replaced.split(' ');
  return {
    row,
    amount,
    importId,
    state: state as RowState,
    line: Number(line),
    limit: limit === 'claimed' || limit === 'unknown' || limit === 'made' ? limit : 'free',
    replaced: replaced === '' ? undefined : { importId: replacer, key },
    declined: declinedBy(problem, Number(updated)),
  };
}

/** Reads the problem of a row that a person declined, as `free` in approval-moves.lua writes it. */
function declinedBy(problem: string, atMs: number): BuyerRow['declined'] {
  const { message = '' } = problem === '' ? {} : (JSON.parse(problem) as RowProblem);
  return message.startsWith(DECLINED) ? { words: message.slice(DECLINED.length), atMs } : undefined;
}

const DECLINED = 'declined ';
