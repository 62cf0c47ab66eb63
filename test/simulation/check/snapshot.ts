import { readFileSync } from 'node:fs';
import type { Reply } from '../doubles/redis-server.ts';
import type { VirtualRedis } from '../doubles/virtual-redis.ts';

/** The content of Redis at one moment, read key by key without code of the product. */
export type Snapshot = {
  hash: (key: string) => Record<string, string>;
  /** The members of a sorted set with their scores. */
  sorted: (key: string) => Map<string, number>;
  keys: readonly string[];
};

const SNAPSHOT = readFileSync(new URL('./snapshot.lua', import.meta.url), 'utf8');

export async function takeSnapshot(redis: VirtualRedis): Promise<Snapshot> {
  const found = new Map((await redis.ask(SNAPSHOT)).map((one) => [String((one as Reply[])[0]), (one as Reply[])[1]]));
  const words = (key: string): string[] => ((found.get(key) ?? []) as Reply[]).map(String);
  return {
    keys: [...found.keys()],
    hash: (key) => Object.fromEntries(pairs(words(key))),
    sorted: (key) => new Map(pairs(words(key)).map(([member, score]) => [member, Number(score)])),
  };
}

function pairs(words: readonly string[]): [string, string][] {
  return words.flatMap((word, place): [string, string][] => (place % 2 === 0 ? [[word, words[place + 1] ?? '']] : []));
}
