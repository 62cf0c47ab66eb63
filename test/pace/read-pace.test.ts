import { expect } from 'vitest';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { sleep, testInTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;

testInTime('an account without calls has no pace', async ({ connection, paceKey }) => {
  expect(await makePaceReader(connection, paceKey)()).toBeUndefined();
});

testInTime(
  'an outside reader sees the pace of the processes and changes nothing',
  async ({ openPace, connection, paceKey }) => {
    const pace = openPace();
    await Promise.all(
      Array.from({ length: 60 }, async () => {
        await pace.take(never);
        await pace.answered();
      }),
    );
    const seen = await pace.look();
    const before = await connection.hget(paceKey, 'savedAt');
    const read = await makePaceReader(connection, paceKey)();
    expect(await connection.hget(paceKey, 'savedAt')).toBe(before);
    expect(seen).toMatchObject({ phase: 'start', isLimiting: true, blocked: undefined });
    expect(read).toMatchObject({ phase: 'start', isLimiting: true, blocked: undefined, accepted: 60, statedPerS: 0 });
    expect(read?.ratePerS).toBeCloseTo(seen.ratePerS, 2);
    // Some milliseconds lie between the two readings.
    expect((read?.flowPerS ?? 0) / seen.flowPerS).toBeGreaterThan(0.98);
    expect(read?.flowPerS).toBeLessThanOrEqual(seen.flowPerS);
    await sleep(5_000);
    expect(await makePaceReader(connection, paceKey)()).toMatchObject({ isLimiting: false });
    expect((await makePaceReader(connection, paceKey)())?.flowPerS).toBeLessThan(0.1);
  },
);

testInTime('a block is read with its reason and its end', async ({ openPace, connection, paceKey }) => {
  await openPace().block({ why: 'gone', because: 'outage', askedMs: 3_000, episode: 0 });
  const read = await makePaceReader(connection, paceKey)();
  expect(read?.blocked).toMatchObject({ why: 'gone', because: 'outage' });
  expect((read?.blocked?.untilMs ?? 0) - Date.now()).toBeGreaterThan(2_900);
});
