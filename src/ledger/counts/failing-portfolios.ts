import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { makeLooks } from './glances.ts';

/** A portfolio with rows that failed, and how many. */
export type FailingPortfolio = { name: string; refused: number; held: number };

/** Portfolios looked at in one script: some milliseconds of Redis' time. */
const PAGE = 1_000;

/** Makes a function that finds the latest portfolios with refused or held rows, so many at the most. */
export function makeFailingPortfolios(ledger: { connection: RedisConnection; keys: Keys }) {
  const looks = makeLooks(ledger);
  return async (most: number): Promise<FailingPortfolio[]> => {
    const failing: FailingPortfolio[] = [];
    for await (const page of looks(['refused', 'held'], { count: PAGE, newest: true })) {
      for (const { name, counts } of page) {
        const [refused = 0, held = 0] = counts;
        if (refused + held > 0) failing.push({ name, refused, held });
        if (failing.length === most) return failing;
      }
    }
    return failing;
  };
}
