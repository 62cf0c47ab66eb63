import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { makeRowLists } from './row-lists.ts';
import type { FoundRow } from './row-matches.ts';
import { LINES_OF_COLUMN, makeRowSources } from './row-sources.ts';

/** Columns and rows that one script looks at: some milliseconds of Redis' time. */
const MOST_LOOKED_AT = 4_000;

/** Looks of that many: where most rows of a size are others than those that wait, the answer is not exact after them. */
const MOST_LOOKS = 6;

/** So few are read one by one. */
const FEW_ROWS = 500;

/** The largest rows that wait for an approval, by the columns of amounts that searches use too. */
export function makeLargestRows({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const look = makeLuaScript(connection, new URL('../lua/largest-rows.lua', import.meta.url));
  const { sizes } = makeRowSources({ connection, keys });
  const { read } = makeRowLists({ connection, keys });

  /** Keys of rows among which the largest are. */
  async function candidates(portfolio: string, approval: string, count: number) {
    const own = keys.approvalRows(portfolio, approval);
    const { rows, indexed, lastLine } = await sizes(portfolio);
    const isFew = (await connection.zcard(own)) <= FEW_ROWS;
    // Rows that came without the indexes stand in no column.
    if (isFew || indexed < rows)
      return { found: await connection.zrange(own, '0', String(FEW_ROWS - 1)), isExact: isFew };
    const places = { portfolio: keys.portfolio(portfolio), begins: keys.row(portfolio, '') };
    const of = { approval, rows: count, last: Math.floor(lastLine / LINES_OF_COLUMN), most: MOST_LOOKED_AT };
    let [size, column, best]: [string, string, string[]] = ['', '0', []];
    for (let looks = 0; looks < MOST_LOOKS; looks += 1) {
      [size = '', column = '0', ...best] = (await look(places, { ...of, size, column, known: best })) as string[];
      if (size === '') break;
    }
    return { found: best.filter((_text, at) => at % 2 === 0), isExact: size === '' };
  }

  return {
    /**
     * The largest rows that wait for an approval, in no order, and perhaps others of it. `isExact` is false where there may be larger
     * ones: the work is bounded, and most rows that it met were others.
     */
    async largestOf(
      { portfolio, id }: { portfolio: string; id: string },
      count: number,
    ): Promise<{ found: FoundRow[]; isExact: boolean }> {
      const { found, isExact } = await candidates(portfolio, id, count);
      const rows = found.map((key) => ({ portfolio, key }));
      const results = await read(rows);
      const waiting = rows.flatMap((row, place) => {
        const result = results[place];
        return result?.state === 'awaiting' && result.approval === id ? [{ row, result }] : [];
      });
      return { found: waiting, isExact };
    },
  };
}
