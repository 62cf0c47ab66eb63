import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';

/** A portfolio with rows that failed, and how many. */
export type FailingPortfolio = { name: string; refused: number; held: number };

/** Portfolios looked at in one script: some milliseconds of Redis' time. */
const PAGE = 1_000;

/** Makes a function that finds the latest portfolios with refused or held rows, so many at the most. */
export function makeFailingPortfolios({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const look = makeLuaScript(connection, new URL('../lua/failing-portfolios.lua', import.meta.url));
  return async (most: number): Promise<FailingPortfolio[]> => {
    const failing: FailingPortfolio[] = [];
    for (let from = 0; ; from += PAGE) {
      const [seen, ...found] = (await look([keys.portfolios, keys.portfolio('')], [from, PAGE])) as (string | number)[];
      for (let at = 0; at < found.length; at += 3) {
        const [name, refused, held] = found.slice(at, at + 3);
        failing.push({ name: String(name), refused: Number(refused), held: Number(held) });
        if (failing.length === most) return failing;
      }
      if (seen !== PAGE) return failing;
    }
  };
}
