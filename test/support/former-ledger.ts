import { readFile } from 'node:fs/promises';
import type { Redis } from 'ioredis';

type Kept = { hash?: Record<string, string>; zset?: string[]; set?: string[]; list?: string[]; string?: string };

/**
 * Writes what a version of format 4 left in Redis, under a prefix of the test's own: account `live`, with the portfolios `q4` (done with a
 * document, held at a limit that was made, refused, done, an invalid line), `q5` (waits for approval), `q6` (declined by bob, with its
 * supplier) and `q7` (queued, 700).
 */
export async function putFormerLedger(connection: Redis, prefix: string): Promise<void> {
  const text = await readFile(new URL('../ledger/formats/format-4.json', import.meta.url), 'utf8');
  const kept = JSON.parse(text.replaceAll('{former', `{${prefix}`)) as Record<string, Kept>;
  for (const [key, { hash, zset, set, list, string }] of Object.entries(kept)) {
    if (hash) await connection.hset(key, hash);
    if (zset) await connection.zadd(key, ...zset.map((_, at) => zset[at % 2 === 0 ? at + 1 : at - 1] ?? ''));
    if (set) await connection.sadd(key, ...set);
    if (list) await connection.rpush(key, ...list);
    if (string !== undefined) await connection.set(key, string);
  }
}
