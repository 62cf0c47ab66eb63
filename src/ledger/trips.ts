import { makeLuaScript, type RedisConnection } from '../lua-script.ts';
import { faultIn } from './archive/gated-script.ts';
import type { Keys } from './keys.ts';
import type { RowId } from './row-id.ts';
import { type MoveCall, type MoveName, moveArgs } from './schema.ts';

/**
 * Takes a row through moves, one behind the other: what lua/trip.lua says of it. Rejects where Redis did not answer;
 * whether it was done is not known then; and with `USAGE` what people would do with rows of an archived portfolio.
 */
export type Trips = (row: RowId, ...moves: readonly MoveCall[]) => Promise<unknown>;

/** How a row is to go on once its call was made; undefined where it stays at its step. */
export type Moving = Extract<MoveCall, { move: 'advance' }> | undefined;

/** What a row asks for, and who waits for the answer. */
type Asked = {
  row: RowId;
  moves: readonly MoveCall[];
  resolve: (answer: unknown) => void;
  reject: (reason: unknown) => void;
};

/** So many rows are served by one script at the most: some 20 µs each, and Redis serves nobody else meanwhile. */
const MOST_AT_ONCE = 100;

/** What people do with rows looks at more, and counts for so many. */
const RARE_COUNTS_FOR = 5;
const OFTEN: ReadonlySet<MoveName> = new Set(['begin', 'claim', 'settle', 'advance']);

const KNOWN = new WeakMap<RedisConnection, Map<string, Trips>>();

/** The trips of one account over one connection: the same for all who ask for them. */
export function tripsOf(connection: RedisConnection, keys: Pick<Keys, 'account'>): Trips {
  const known = KNOWN.get(connection) ?? new Map<string, Trips>();
  KNOWN.set(connection, known);
  const trips = known.get(keys.account) ?? makeTrips(connection, keys.account);
  known.set(keys.account, trips);
  return trips;
}

/**
 * Takes what the rows of this process ask of the ledger to Redis, all of a moment in one script (lua/trip.lua): while a trip is under
 * way the next ones gather. A claim or a settling that is out of the ordinary is answered by 0, and nothing was done: then the script of
 * its own is asked. An item may be repeated, as those scripts may be. What somebody damaged in one portfolio rejects that portfolio's
 * items, and no others.
 */
function makeTrips(connection: RedisConnection, account: string): Trips {
  const run = makeLuaScript(connection, new URL('./lua/trip.lua', import.meta.url));
  let gathered: Asked[] = [];
  let isUnderWay = false;

  const take = async (batch: readonly Asked[]): Promise<void> => {
    try {
      const answers = (await run(
        [account],
        batch.flatMap(({ row, moves }) => moveArgs(row, moves)),
      )) as unknown[];
      batch.forEach(({ resolve, reject }, place) => {
        const answer = answers[place];
        if (answer instanceof Error) reject(faultIn(answer) ?? answer);
        else resolve(answer);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  };

  const takeAll = async (): Promise<void> => {
    while (gathered.length > 0) {
      const count = howMany(gathered);
      const batch = gathered.slice(0, count);
      gathered = gathered.slice(count);
      await take(batch);
    }
    isUnderWay = false;
  };

  return (row, ...moves) =>
    new Promise((resolve, reject) => {
      gathered.push({ row, moves, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      // Whatever else is asked in this turn of the event loop comes along.
      setImmediate(takeAll);
    });
}

/** How many of these one script serves. */
function howMany(asked: readonly Asked[]): number {
  let sum = 0;
  const place = asked.findIndex(({ moves }) => {
    sum += moves.every(({ move }) => OFTEN.has(move)) ? 1 : RARE_COUNTS_FOR;
    return sum > MOST_AT_ONCE;
  });
  return place < 0 ? asked.length : place;
}
