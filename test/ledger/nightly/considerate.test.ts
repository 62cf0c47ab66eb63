import { expect, test } from 'vitest';
import { makeConsiderate, redisUsedMs } from '../../../src/ledger/nightly/considerate.ts';
import { connectRedis } from '../../support/ledger.ts';

/** A Redis whose processor others use to this share, and a clock that only commands and pauses move. */
function place(others: { share: number }) {
  const time = { ms: 0, used: 0, ours: 0 };
  const pass = (ms: number) => {
    time.ms += ms;
    time.used += ms * others.share;
  };
  const ask = makeConsiderate({
    usedMs: async () => time.used,
    signal: new AbortController().signal,
    clock: { nowMs: () => time.ms, sleep: async (ms) => pass(ms) },
  });
  const command = async (ms: number) => {
    pass(ms);
    time.ours += ms;
  };
  return { time, run: (ms: number) => ask(() => command(ms)) };
}

/** Which share of the time is ours, over ten seconds of commands that take two ms each. */
async function ourShare(run: (ms: number) => Promise<void>, time: { ms: number; ours: number }): Promise<number> {
  const before = { ...time };
  while (time.ms < before.ms + 10_000) await run(2);
  return (time.ours - before.ours) / (time.ms - before.ms);
}

test('at rest nearly all of the time is ours, and while others work less than a tenth of it', async () => {
  const others = { share: 0 };
  const { time, run } = place(others);
  expect(await ourShare(run, time)).toBeGreaterThan(0.95);
  others.share = 0.3;
  await ourShare(run, time);
  expect(await ourShare(run, time)).toBeLessThan(0.08);
  // A slow command is followed by a pause in proportion.
  const slow = time.ms;
  await run(100);
  await run(2);
  expect(time.ms - slow).toBeGreaterThan(1_000);
  others.share = 0;
  await ourShare(run, time);
  expect(await ourShare(run, time)).toBeGreaterThan(0.95);
});

test('what Redis has used grows by what it is asked', async () => {
  const connection = connectRedis();
  const before = await redisUsedMs(connection);
  await expect
    .poll(async () => {
      await connection.eval('local n = 0 for i = 1, 100000 do n = n + i end return n', 0);
      return (await redisUsedMs(connection)) - before;
    })
    .toBeGreaterThan(0);
});
