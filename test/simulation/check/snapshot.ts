import type { Reply, Words } from '../doubles/redis-server.ts';
import type { VirtualRedis } from '../doubles/virtual-redis.ts';

/** All that stands in Redis at one moment, read key by key: by no code of the product. */
export type Snapshot = {
  hash: (key: string) => Record<string, string>;
  /** Members of a sorted set by their scores. */
  sorted: (key: string) => Map<string, number>;
  set: (key: string) => string[];
  string: (key: string) => string | undefined;
  keys: readonly string[];
};

const READ: Record<string, (key: string) => Words> = {
  hash: (key) => ['HGETALL', key],
  zset: (key) => ['ZRANGE', key, 0, -1, 'WITHSCORES'],
  set: (key) => ['SMEMBERS', key],
  string: (key) => ['GET', key],
  list: (key) => ['LRANGE', key, 0, -1],
  stream: (key) => ['XLEN', key],
};

export async function takeSnapshot(redis: VirtualRedis): Promise<Snapshot> {
  const [names] = await redis.look([['KEYS', '*']]);
  const keys = (names as Reply[]).map(String).toSorted();
  const types = (await redis.look(keys.map((key): Words => ['TYPE', key]))).map(String);
  const read = await redis.look(keys.map((key, place) => READ[types[place] ?? 'string']?.(key) ?? ['TYPE', key]));
  const found = new Map(keys.map((key, place) => [key, read[place] as Reply]));
  const words = (key: string): string[] => ((found.get(key) ?? []) as Reply[]).map(String);
  return {
    keys,
    hash: (key) => Object.fromEntries(pairs(words(key))),
    sorted: (key) => new Map(pairs(words(key)).map(([member, score]) => [member, Number(score)])),
    set: words,
    string: (key) => (found.has(key) ? String(found.get(key)) : undefined),
  };
}

function pairs(words: readonly string[]): [string, string][] {
  return words.flatMap((word, place): [string, string][] => (place % 2 === 0 ? [[word, words[place + 1] ?? '']] : []));
}
