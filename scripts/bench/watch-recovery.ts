import type { Redis } from 'ioredis';
import { CALL_KINDS } from '../../src/call-kind.ts';
import type { Keys } from '../../src/ledger/schema/keys.ts';

export type RecoveryWatch = {
  /**
   * Follows the rows whose calls this process had claimed when it was killed, until each is in another state. Answers
   * the seconds that each took, counted from `killedAt`; a row that meets a second kill on the way is none the less
   * counted from the first.
   *
   * @param killedAt as `performance.now()` has it
   */
  ofProcess(processId: string, killedAt: number): Promise<number[]>;
};

/** Looks at the ledger from outside: what a killed process had under way, and when it moves again. */
export function makeRecoveryWatch({
  connection,
  keys,
  signal,
}: {
  connection: Redis;
  keys: Keys;
  signal: AbortSignal;
}): RecoveryWatch {
  const stateOf = (row: string): Promise<string | null> => {
    const slash = row.indexOf('/');
    return connection.hget(keys.row(row.slice(0, slash), row.slice(slash + 1)), 'state');
  };
  return {
    async ofProcess(processId, killedAt) {
      const waiting = new Map<string, string | null>();
      for (const row of await rowsOf(processId, connection, keys)) waiting.set(row, await stateOf(row));
      const seconds: number[] = [];
      while (waiting.size > 0 && !signal.aborted) {
        for (const [row, before] of waiting) {
          if ((await stateOf(row)) === before) continue;
          waiting.delete(row);
          seconds.push((performance.now() - killedAt) / 1_000);
        }
        await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      }
      return seconds;
    },
  };
}

/** Fine enough for seconds, and next to nothing for Redis. */
const LOOK_EVERY_MS = 50;

/** Calls read at a time. */
const PAGE = 1_000;

/** Names of the rows, `portfolio/key`, for which the process was sending something. */
async function rowsOf(processId: string, connection: Redis, keys: Keys): Promise<Set<string>> {
  const rows = new Set<string>();
  for (const kind of CALL_KINDS) {
    let cursor = '0';
    do {
      const [next, found] = await connection.scan(cursor, 'MATCH', keys.call(kind, '*'), 'COUNT', PAGE);
      cursor = next;
      const pipeline = connection.pipeline();
      for (const key of found) pipeline.hmget(key, 'state', 'owner', 'row');
      for (const [, fields] of (await pipeline.exec()) ?? []) {
        const [state, owner, row] = fields as [string, string?, string?];
        if (state === 'claimed' && row && owner?.startsWith(`${processId}/`)) rows.add(row);
      }
    } while (cursor !== '0');
  }
  return rows;
}
