import type { RedisConnection } from '../lua-script.ts';
import { makeBuyerRows } from './buyer-rows.ts';
import { makeImportRows } from './import-rows.ts';
import type { Keys } from './keys.ts';
import type { Persist } from './persist.ts';
import { makePutRow } from './put-row.ts';
import { makeRowLists } from './row-lists.ts';
import { makeRowMoves } from './row-moves.ts';

export type Rows = ReturnType<typeof makeRows>;

/** The rows of all portfolios. Every change of state and of the counts behind it is one step in Redis. */
export function makeRows({
  connection,
  keys,
  persist,
  canaryRefusals,
}: {
  connection: RedisConnection;
  keys: Keys;
  persist: Persist;
  /** So many first answers of a step refused alike pause the portfolio; 0 for never. */
  canaryRefusals: number;
}) {
  return {
    put: makePutRow({ connection, keys }),
    ...makeRowMoves({ connection, keys, persist, canaryRefusals }),
    ...makeRowLists({ connection, keys }),
    ...makeBuyerRows({ connection, keys }),
    ...makeImportRows({ connection, keys }),
  };
}
