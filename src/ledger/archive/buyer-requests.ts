import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import { type RowId, rowIdOf } from '../row-id.ts';

/** A request of a buyer; `request` is what its line asked for, as JSON, and nothing where its row is not in Redis. */
export type BuyerRequest = RowId & { request: string | undefined };

/** Requests that are read at a time: of nearly all buyers, all that there are. */
const PAGE = 100;

/** Reads all requests of a buyer, of whichever portfolio of the account, some at a time; one may come twice. */
export function makeBuyerRequests({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  return async function* requestsOf(buyer: string): AsyncGenerator<BuyerRequest[]> {
    let cursor = '0';
    do {
      const [next, found] = await connection.hscan(keys.buyerRows(buyer), cursor, 'COUNT', PAGE);
      const rows = found.flatMap((name, at) => (at % 2 === 0 ? (rowIdOf(name) ?? []) : []));
      const requests = await Promise.all(
        rows.map(({ portfolio, key }) => connection.hget(keys.row(portfolio, key), 'request')),
      );
      yield rows.map((row, at) => ({ ...row, request: requests[at] ?? undefined }));
      cursor = next;
    } while (cursor !== '0');
  };
}
