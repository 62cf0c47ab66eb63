import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { pairsAsFields, readAtOnce } from '../schema/read-at-once.ts';
import type { FoundCause, RowCause } from './cause.ts';
import { readCauseSums } from './sums.ts';

/** Why rows of a portfolio failed, as one group, with how many there are and what they asked for, as exact decimal text. */
export type Cause = RowCause & { rows: number; sum: string };

/** The causes of portfolios; they are kept by the scripts that move rows (lua/derive.lua). */
export function makeCauses({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  return {
    /** The causes of a portfolio whose rows have their tallies, the one of most rows first. */
    async read(name: string): Promise<Cause[]> {
      const hashes = [keys.causes(name), keys.sums(name, 'a'), keys.sums(name, 'b')];
      const { answers } = await readAtOnce(
        connection,
        hashes.map((key) => ['HGETALL', key] as const),
      );
      const [known = {}, ...sides] = answers.map(pairsAsFields);
      const sumOf = readCauseSums(sides);
      return Object.entries(known)
        .map(([id, text]): Cause => ({ id, ...(JSON.parse(text) as Omit<RowCause, 'id'>), ...sumOf(id) }))
        .filter(({ rows }) => rows > 0)
        .sort((one, other) => other.rows - one.rows || (one.id < other.id ? -1 : 1));
    },
  };
}

/** What scripts are told of a cause: its id, what is known of it, and the same of the coarser one behind it. */
export function causeArgs({ coarse, ...fine }: FoundCause): string[] {
  return [fine.id, knownOf(fine), coarse.id, knownOf(coarse)];
}

function knownOf({ step, meaning, status, words }: RowCause): string {
  return JSON.stringify({ step, meaning, status, words });
}
