import type { RedisConnection } from '../lua-script.ts';
import { makeGatedScript } from './archive/gated-script.ts';
import type { Keys } from './keys.ts';
import { type RowRequest, stepAfter } from './row.ts';
import { indexWords } from './search/index-words.ts';

/** By which import of which portfolio rows come in, with which open approval they wait for a person, if with any. */
type Bringing = { portfolio: string; number: string; generation: number; approval: string | undefined };

/** A row that nobody has heard of; `seen` and `statements` as rows.put takes them. */
export type NewRow = { key: string; line: number; request: RowRequest; seen: number; statements?: string | undefined };

type PutNewOptions = {
  connection: RedisConnection;
  keys: Keys;
  /** Whether rows are put into the indexes by which they are searched. */
  isSearched?: boolean | undefined;
};

/**
 * Brings in new rows, many with one command. Answers for each whether it was: one that is there already, whose request was sent
 * before, or of which anything else has to be looked into, is left to `rows.put`, with nothing done of it.
 */
export function makePutNewRows({ connection, keys, isSearched = true }: PutNewOptions) {
  const put = makeGatedScript(connection, 'put-new-rows');
  return async (
    { portfolio, number, generation, approval = '' }: Bringing,
    rows: readonly NewRow[],
  ): Promise<boolean[]> => {
    const places = [keys.portfolio(portfolio), keys.row(portfolio, ''), keys.call('limit', ''), keys.buyer('')];
    const putPage = async (page: readonly NewRow[]): Promise<boolean[]> => {
      const args: (string | number)[] = [number, generation, portfolio, approval];
      for (const { key, line, request, seen, statements = '' } of page) {
        const { buyer, limit } = request;
        const words = isSearched ? indexWords(request) : '';
        args.push(key, line, buyer, seen, JSON.stringify(request), stepAfter(request), limit.requested_limit);
        args.push(words, statements);
      }
      const passed = new Set((await put(places, args)) as number[]);
      return page.map((_row, place) => !passed.has(place + 1));
    };
    const pages: Promise<boolean[]>[] = [];
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      pages.push(putPage(rows.slice(from, from + ROWS_AT_ONCE)));
    }
    return (await Promise.all(pages)).flat();
  };
}

/** Rows put with one command: some milliseconds of Redis' time. */
const ROWS_AT_ONCE = 64;
