import { describe, expect } from 'vitest';
import type { Breakers } from '../../src/pace/breakers.ts';
import { readUntil, testInTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;
const works = { signal: never, tryToken: async () => true };

describe.concurrent('a 401 with a new token', () => {
  const call = { kind: 'limit', key: 'r-1' } as const;
  const ask = (
    breakers: Breakers,
    asked: number,
    { key = 'r-1', firstSentAtMs = performance.now(), othersOpen = false } = {},
  ) => breakers.blame({ ...call, key }, { token: 'new', sentAtMs: firstSentAtMs, firstSentAtMs, asked, othersOpen });

  testInTime('is a fault of the credentials if nothing was ever made', async (time) => {
    const breakers = time.openBreakers();
    expect(await ask(breakers, 1)).toBe('wait');
    expect(await ask(breakers, 2)).toBe('everybody');
  });

  testInTime(
    'is a fault of the row once another process makes something with the same token, and not before',
    async (time) => {
      const [mine, other] = [time.openBreakers(), time.openBreakers()];
      await other.known('limit', { token: 'new', sentAtMs: performance.now() });
      const firstSentAtMs = performance.now();
      expect(
        await readUntil(
          () => ask(mine, 2, { firstSentAtMs }),
          (whose) => whose === 'wait',
        ),
      ).toBe('wait');
      expect(await ask(mine, 2, { firstSentAtMs })).toBe('wait');
      await other.known('limit', { token: 'old', sentAtMs: performance.now() });
      await other.known('company', { token: 'new', sentAtMs: performance.now() });
      expect(await other.enter('limit', works)).toBeUndefined();
      expect(await ask(mine, 2, { firstSentAtMs })).toBe('wait');
      await other.known('limit', { token: 'new', sentAtMs: firstSentAtMs + 1_000 });
      expect(
        await readUntil(
          () => ask(mine, 2, { firstSentAtMs }),
          (whose) => whose === 'row',
        ),
      ).toBe('row');
    },
  );

  testInTime('is a fault of the credentials if several rows meet it and nothing is made', async (time) => {
    const breakers = time.openBreakers();
    await breakers.known('limit', { token: 'new', sentAtMs: performance.now() - 10_000 });
    expect(await ask(breakers, 1)).toBe('wait');
    expect(await ask(breakers, 1, { key: 'r-2' })).toBe('wait');
    expect(await ask(breakers, 3)).toBe('everybody');
    expect(await ask(breakers, 4, { key: 'r-2' })).toBe('everybody');
  });

  testInTime('is not a fault of the credentials while others make something, with any token', async (time) => {
    const breakers = time.openBreakers();
    const firstSentAtMs = performance.now() - 5_000;
    await breakers.known('limit', { token: 'other', sentAtMs: performance.now() });
    expect(await ask(breakers, 1, { firstSentAtMs })).toBe('wait');
    expect(await ask(breakers, 4, { key: 'r-2', firstSentAtMs })).toBe('wait');
    expect(await ask(breakers, 9, { firstSentAtMs })).toBe('wait');
  });

  testInTime('sets the row aside while others are still to be tried', async (time) => {
    const breakers = time.openBreakers();
    await breakers.known('limit', { token: 'before', sentAtMs: performance.now() - 10_000 });
    for (const asked of [4, 5, 20]) expect(await ask(breakers, asked, { othersOpen: true })).toBe('aside');
    expect(await ask(breakers, 21)).toBe('everybody');
  });

  testInTime('is not a fault of the row if nobody else calls after something was made', async (time) => {
    const breakers = time.openBreakers();
    await breakers.known('limit', { token: 'before', sentAtMs: performance.now() - 10_000 });
    expect(await ask(breakers, 3)).toBe('wait');
    for (const asked of [4, 5, 20]) expect(await ask(breakers, asked)).toBe('everybody');
  });
});
