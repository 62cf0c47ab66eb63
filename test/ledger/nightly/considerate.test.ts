import { expect, test } from 'vitest';
import { makeConsiderate, redisUsedMs } from '../../../src/ledger/nightly/considerate.ts';
import { connectRedis } from '../../support/ledger.ts';

/** A Redis whose processor others use to this share, and a clock that only commands and pauses advance. */
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

/** The share of the time that the check's commands take, over ten seconds of commands of two ms each. */
async function ourShare(run: (ms: number) => Promise<void>, time: { ms: number; ours: number }): Promise<number> {
  const before = { ...time };
  while (time.ms < before.ms + 10_000) await run(2);
  return (time.ours - before.ours) / (time.ms - before.ms);
}

test('the nightly check uses nearly all the time of an idle Redis, and less than a tenth of a busy one', async () => {
  const others = { share: 0 };
  const { time, run } = place(others);
  expect(await ourShare(run, time)).toBeGreaterThan(0.95);
  others.share = 0.3;
  await ourShare(run, time);
  expect(await ourShare(run, time)).toBeLessThan(0.08);
  // A slow command is followed by a proportional pause.
  const slow = time.ms;
  await run(100);
  await run(2);
  expect(time.ms - slow).toBeGreaterThan(1_000);
  others.share = 0;
  await ourShare(run, time);
  expect(await ourShare(run, time)).toBeGreaterThan(0.95);
});

test('redisUsedMs grows with the commands that Redis runs', async () => {
  const connection = connectRedis();
  const before = await redisUsedMs(connection);
  await expect
    .poll(async () => {
      await connection.eval('local n = 0 for i = 1, 100000 do n = n + i end return n', 0);
      return (await redisUsedMs(connection)) - before;
    })
    .toBeGreaterThan(0);
});
