import type { RedisConnection } from '../../lua-script.ts';
import { ledgerScript } from './gated-script.ts';

/** The time by the clock of Redis, in whole ms. */
export async function redisNowMs(connection: RedisConnection): Promise<number> {
  const [seconds, microseconds] = await connection.time();
  return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
}

/** One command that only reads: its name, its key, and the arguments behind the key. */
export type ReadCommand = readonly [command: string, key: string, ...words: string[]];

/**
 * Reads several keys of an account at one moment, even if the memory of Redis is full.
 *
 * @returns the moment by the server's clock, in ms, and the reply to each command; hashes as flat lists
 */
export async function readAtOnce(
  connection: RedisConnection,
  readings: readonly ReadCommand[],
): Promise<{ atMs: number; answers: unknown[] }> {
  const read = ledgerScript(connection, 'general#read-at-once');
  const commands = readings.flatMap(([command, , ...words]) => [command, words.length, ...words]);
  const answer = await read({ keys: readings.map(([, key]) => key) }, { commands });
  const [[seconds, microseconds], ...answers] = answer as [[string, string], ...unknown[]];
  return { atMs: Number(seconds) * 1_000 + Number(microseconds) / 1_000, answers };
}

/** Makes an object of a flat list, the reply to HGETALL inside a script. */
export function pairsAsFields(list: unknown): Record<string, string> {
  const [flat, fields] = [list as string[], {} as Record<string, string>];
  for (let at = 0; at < flat.length; at += 2) fields[flat[at] as string] = flat[at + 1] as string;
  return fields;
}

/** Keys that one SCAN visits: a fraction of a millisecond. */
const COUNT = 1_000;

/** All keys of a type that begin with `beginning`, in pages; a key that exists during the whole walk comes at least once. */
export async function* scanKeys(
  connection: RedisConnection,
  beginning: string,
  type: 'hash' | 'string' | 'any' = 'hash',
): AsyncGenerator<string[]> {
  const pattern = `${beginning.replace(/[*?[\]\\^]/g, '\\$&')}*`;
  for (const node of nodesOf(connection)) {
    const scan = ['MATCH', pattern, 'COUNT', COUNT] as const;
    yield* scanned((at) => (type === 'any' ? node.scan(at, ...scan) : node.scan(at, ...scan, 'TYPE', type)));
  }
}

/** Pages of a SCAN-like command; an entry that exists during the whole walk comes at least once. */
export async function* scanned(scan: (cursor: string) => Promise<[string, string[]]>): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, found] = await scan(cursor);
    if (found.length > 0) yield found;
    cursor = next;
  } while (cursor !== '0');
}

/** The servers to scan: on a cluster each node has keys of its own. */
const nodesOf = (connection: RedisConnection) => ('nodes' in connection ? connection.nodes('master') : [connection]);

/** The replies of a pipeline. @throws the first error among them */
export function answersOf(answers: readonly (readonly [Error | null, unknown])[] | null): unknown[] {
  return (answers ?? []).map(([error, answer]) => {
    if (error) throw error;
    return answer;
  });
}
