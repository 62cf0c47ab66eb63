import type { startKillableRedis } from './killable-redis.ts';

type Admin = Awaited<ReturnType<typeof startKillableRedis>>['admin'];

/** Copies all keys at one moment, also under load. */
export async function copyOf(admin: Admin): Promise<[key: string, bytes: Buffer][]> {
  const found = (await admin.callBuffer('EVAL', COPY, '0')) as [Buffer, Buffer][];
  return found.map(([key, bytes]) => [String(key), bytes]);
}

const COPY = `
  local all = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = { key, redis.call('DUMP', key) } end
  return all`;

/** Replaces the content of a Redis with a copy. */
export async function putBack(admin: Admin, copy: readonly [string, Buffer][]): Promise<void> {
  const all = admin.multi().flushall();
  for (const [key, bytes] of copy) all.restore(key, 0, bytes);
  await all.exec();
}
