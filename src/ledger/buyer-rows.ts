import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import type { Keys } from './keys.ts';
import type { RowRequest, RowState } from './row.ts';
import type { RowId } from './row-id.ts';

/** One request of a buyer, as far as it matters to another line of that buyer. */
export type BuyerRow = {
  row: RowId;
  /** Canonical decimal text. */
  amount: string;
  state: RowState;
  line: number;
  /** The number of the import that had it last, within its portfolio. */
  importId: string;
  /** What is known of its limit call; `free` where nothing was sent, or nothing was made. */
  limit: 'free' | 'claimed' | 'unknown' | 'made';
  /** The import that replaced it, and the row in its place; `key` is '' where its line was only left out. */
  replaced: { importId: string; key: string } | undefined;
};

/** The requests of a buyer; `count` is how many there are, also of those that are not told. */
export type BuyerRows = { count: number; rows: BuyerRow[] };

/** Requests of one buyer that are looked at. A hash of so many small entries is read at once; no line is told of more. */
export const MOST_TOLD = 128;

/** Buyers looked at with one script, which keeps Redis busy for milliseconds even where each has very many requests. */
const BUYERS_AT_ONCE = 50;

/** Looks at the requests of buyers, in all portfolios of the account. */
export function makeBuyerRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const list = makeLuaScript(connection, new URL('./lua/buyer-rows.lua', import.meta.url));
  return {
    /** The requests of each of these buyers. */
    async ofBuyers(buyers: readonly string[]): Promise<Map<string, BuyerRows>> {
      const found = new Map<string, BuyerRows>();
      for (let from = 0; from < buyers.length; from += BUYERS_AT_ONCE) {
        const page = buyers.slice(from, from + BUYERS_AT_ONCE);
        const hashes = page.map((buyer) => keys.buyerRows(buyer));
        const told = (await list([keys.rows, keys.call('limit', ''), ...hashes], [MOST_TOLD])) as (string | number)[][];
        for (const [place, buyer] of page.entries()) found.set(buyer, toBuyerRows(told[place] ?? []));
      }
      return found;
    },

    /** The rows of all requests of one buyer, however many, in pages. One that is there all the time comes once or more. */
    async *allOf(buyer: string): AsyncGenerator<RowId[]> {
      let cursor = '0';
      do {
        const [next, found] = await connection.hscan(keys.buyerRows(buyer), cursor, 'COUNT', MOST_TOLD);
        const names = found.filter((_, at) => at % 2 === 0);
        yield names.map(toRowId);
        cursor = next;
      } while (cursor !== '0');
    },

    /** One request, by its row; nothing where there is none. */
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

function toBuyerRows([count = 0, ...values]: (string | number)[]): BuyerRows {
  const rows: BuyerRow[] = [];
  for (let place = 0; place < values.length; place += 7) {
    const [name = '', ...told] = values.slice(place, place + 7).map(String);
    rows.push(toBuyerRow(toRowId(name), told));
  }
  return { count: Number(count), rows };
}

/** `<portfolio>/<row key>`, as put-row.lua writes it. */
function toRowId(name: string): RowId {
  const slash = name.lastIndexOf('/');
  return { portfolio: name.slice(0, slash), key: name.slice(slash + 1) };
}

function toBuyerRow(row: RowId, values: string[]): BuyerRow {
  const [amount = '', state, line, importId = '', replaced = '', limit = ''] = values;
  const [replacer = '', key = ''] = replaced.split(' ');
  return {
    row,
    amount,
    importId,
    state: state as RowState,
    line: Number(line),
    limit: limit === 'claimed' || limit === 'unknown' || limit === 'made' ? limit : 'free',
    replaced: replaced === '' ? undefined : { importId: replacer, key },
  };
}
