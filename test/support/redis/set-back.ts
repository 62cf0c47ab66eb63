import type { startKillableRedis } from './killable-redis.ts';

type Admin = Awaited<ReturnType<typeof startKillableRedis>>['admin'];

/** All of a Redis at one moment, whatever is at work. */
export async function copyOf(admin: Admin): Promise<[key: string, bytes: Buffer][]> {
  const found = (await admin.callBuffer('EVAL', COPY, '0')) as [Buffer, Buffer][];
  return found.map(([key, bytes]) => [String(key), bytes]);
}

const COPY = `
  local all = {}
  for _, key in ipairs(redis.call('KEYS', '*')) do all[#all + 1] = { key, redis.call('DUMP', key) } end
  return all`;

/** Makes a Redis what it was when the copy was made. */
export async function putBack(admin: Admin, copy: readonly [string, Buffer][]): Promise<void> {
  const all = admin.multi().flushall();
  for (const [key, bytes] of copy) all.restore(key, 0, bytes);
  await all.exec();
}
