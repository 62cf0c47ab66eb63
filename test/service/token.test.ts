import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Granted, makeTokenCache } from '../../src/service/token.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

/** As in the source: often enough that a living owner keeps a lock of 6 s. */
const PROLONG_EVERY_MS = 2_000;

const HOUR: Granted = { value: 'granted', lifetimeMs: 3_600_000 };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A cache whose token call ends when the test ends it. */
function openCache({ key = freshPrefix() } = {}) {
  const connection = connectRedis();
  const calls: ((granted: Granted) => void)[] = [];
  const cache = makeTokenCache({
    connection,
    key,
    secret: 's3cret',
    fetchToken: () => new Promise((resolve) => calls.push(resolve)),
  });
  return { connection, key, lockKey: `${key}:lock`, calls, get: () => cache.get(() => {}) };
}

test('a lock that another process took meanwhile is neither extended nor released', async () => {
  const { connection, lockKey, calls, get } = openCache();
  const token = get();
  await expect.poll(() => calls.length).toBe(1);
  // After a pause of this process, its lock has expired, and another process holds it.
  await connection.set(lockKey, 'another', 'PX', 60_000);
  for (const _again of [1, 2]) {
    vi.advanceTimersByTime(PROLONG_EVERY_MS);
    await connection.ping();
  }
  expect(await connection.pttl(lockKey)).toBeGreaterThan(30_000);

  calls[0]?.(HOUR);
  expect(await token).toMatchObject({ value: 'granted' });
  expect(await connection.get(lockKey)).toBe('another');
});

test('the own lock is extended during the token call and released afterwards', async () => {
  const { connection, lockKey, calls, get } = openCache();
  const token = get();
  await expect.poll(() => calls.length).toBe(1);
  await connection.pexpire(lockKey, 4_000);
  vi.advanceTimersByTime(PROLONG_EVERY_MS);
  await expect.poll(() => connection.pttl(lockKey)).toBeGreaterThan(4_000);
  calls[0]?.(HOUR);
  await token;
  expect(await connection.exists(lockKey)).toBe(0);
});

test('a token that another process fetched between read and lock is used', async () => {
  const first = openCache();
  const second = openCache({ key: first.key });
  const set = second.connection.set.bind(second.connection);
  vi.spyOn(second.connection, 'set').mockImplementationOnce(async (...words: unknown[]) => {
    const token = first.get();
    await expect.poll(() => first.calls.length).toBe(1);
    first.calls[0]?.(HOUR);
    await token;
    return Reflect.apply(set, undefined, words);
  });
  expect(await second.get()).toMatchObject({ value: 'granted' });
  expect(second.calls).toHaveLength(0);
  expect(await second.connection.exists(second.lockKey)).toBe(0);
});

test('a token with a fractional lifetime can be stored', async () => {
  const { connection, key, calls, get } = openCache();
  const token = get();
  await expect.poll(() => calls.length).toBe(1);
  calls[0]?.({ value: 'granted', lifetimeMs: 60_500.25 });
  await token;
  expect(await connection.pttl(key)).toBeGreaterThan(0);
});
