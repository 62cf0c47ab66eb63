import type { RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import type { RowId } from '../schema/row-id.ts';

/** A row that failed for a cause, to look at. */
export type CauseSample = { row: RowId; line: number };

/** The first row of each of these causes, in the order of lines; nothing for one that has none any more. */
export async function readCauseSamples(
  name: string,
  causes: readonly string[],
  { connection, keys }: { connection: RedisConnection; keys: Keys },
): Promise<(CauseSample | undefined)[]> {
  const firsts = await Promise.all(
    causes.map((cause) => connection.zrange(keys.rowsOfCause(name, cause), '0', '0', 'WITHSCORES')),
  );
  return firsts.map(([key, line]) =>
    key === undefined ? undefined : { row: { portfolio: name, key }, line: Number(line) },
  );
}
