import { expect, test } from 'vitest';
import { madePerMinute, makePaceSamples, spansOf } from '../../src/pace/samples.ts';
import { connectRedis } from '../support/ledger.ts';
import { sleep, testInTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;

const samplesOf = ({ connection, paceKey }: { connection: Parameters<typeof makePaceSamples>[0]; paceKey: string }) =>
  makePaceSamples(connection, { paceKey, key: `${paceKey}-samples`, madeKey: `${paceKey}-made` });

testInTime('the fleet writes one sample each two seconds with accepted, refused and learned numbers', async (time) => {
  const [first, second] = [samplesOf(time), samplesOf(time)];
  expect(await first.add()).toBe(false);
  const pace = time.openPace();
  for (let permit = 0; permit < 3; permit += 1) {
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await pace.take(never);
        await pace.answered();
      }),
    );
    await pace.block({ why: 'status 429', because: 'limit', episode: 99 });
    expect([await first.add(), await second.add()]).toEqual([true, false]);
    await sleep(2_000);
  }
  const samples = await second.read();
  expect(samples.map(({ accepted, throttled }) => [accepted, throttled])).toEqual([
    [20, 1],
    [40, 2],
    [60, 3],
  ]);
  expect(samples.every(({ learnedPerS }) => learnedPerS > 1)).toBe(true);
  const spans = spansOf(samples);
  expect(spans.length).toBe(2);
  expect(spans[0]?.acceptedPerS).toBeGreaterThan(2);
  expect(spans[0]?.acceptedPerS).toBeLessThanOrEqual(10);
  expect(await first.read(1)).toEqual(samples.slice(-1));
});

testInTime('an idle hour takes one sample, and a gap between samples is not a slow pace', async (time) => {
  const samples = samplesOf(time);
  const pace = time.openPace();
  await pace.take(never);
  await pace.answered();
  await sleep(1_000);
  for (let look = 0; look < 30; look += 1) {
    await samples.add();
    await sleep(2_000);
  }
  const kept = await samples.read();
  expect(kept.length).toBe(2);
  expect((kept[1]?.atMs ?? 0) - (kept[0]?.atMs ?? 0)).toBeGreaterThan(50_000);
  expect(spansOf(kept)).toEqual([]);
});

testInTime('a sample has the end of a wait that a limit causes, but not of a wait for an outage', async (time) => {
  const samples = samplesOf(time);
  const pace = time.openPace();
  await pace.take(never);
  await pace.answered({ 'x-ratelimit-limit': '600', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' });
  await sleep(1_000);
  const beginMs = Date.now();
  for (let look = 0; look < 18; look += 1) {
    await samples.add();
    await sleep(2_000);
  }
  const kept = await samples.read();
  expect(kept[0]?.waitsUntilMs).toBeGreaterThan(beginMs + 28_000);
  expect(kept.at(-1)?.waitsUntilMs).toBe(0);
  // This is not a gap: no call left because none was allowed.
  expect(spansOf(kept)).toMatchObject([{ fromMs: kept[0]?.atMs, acceptedPerS: 0 }]);
  await pace.take(never);
  await pace.block({ why: 'gone', because: 'outage', askedMs: 60_000, episode: 9 });
  await samples.add();
  expect((await samples.read(1))[0]?.waitsUntilMs).toBe(0);
});

test('an hour of samples takes less than 130 KB', async () => {
  const connection = connectRedis();
  const paceKey = `samples-${process.pid}-${performance.now()}`;
  const key = `${paceKey}-list`;
  const samples = makePaceSamples(connection, { paceKey, key, madeKey: `${paceKey}-made` });
  const line = (at: number) =>
    `${1_790_000_000_000 + at * 2_000} ${10_000_000 + at * 200} ${at} 104.3 0 ${1_000_000 + at * 60} ${3_000_000 + at * 90} ${1_000_000 + at * 50}`;
  await connection.rpush(key, ...Array.from({ length: 5_000 }, (_, at) => line(at)));
  await connection.hset(paceKey, 'rate', '100', 'accepted', '20000000');
  expect(await samples.add()).toBe(true);
  expect((await samples.read()).length).toBe(1_800);
  expect(Number(await connection.memory('USAGE', key, 'SAMPLES', 0))).toBeLessThan(130_000);
  await connection.del(paceKey, key);
});

// Promise: queues-say-made-a-minute
testInTime(
  'samples show how many things of each kind were made a minute, lately and in the last hour',
  async (time) => {
    const { connection, paceKey } = time;
    const [samples, pace] = [samplesOf(time), time.openPace()];
    for (let made = 0; made <= 120; made += 1) {
      await pace.take(never);
      await pace.answered();
      await connection.hset(`${paceKey}-made`, 'made:company', made, 'made:limit', Math.min(made, 60));
      await samples.add();
      await sleep(2_000);
    }
    const kept = await samples.read();
    const nowMs = kept.at(-1)?.atMs ?? 0;
    const perMinute = (kind: 'company' | 'document' | 'limit', overMs: number, atMs = nowMs) =>
      Math.round(madePerMinute(kept, kind, { overMs, nowMs: atMs }) ?? -1);
    expect([perMinute('company', 60_000), perMinute('document', 60_000), perMinute('limit', 60_000)]).toEqual([
      30, 0, 0,
    ]);
    expect(perMinute('limit', 3_600_000)).toBe(15);
    // An idle hour made nothing, and without a sample the number is unknown.
    expect(perMinute('company', 60_000, nowMs + 3_600_000)).toBe(0);
    expect(madePerMinute([], 'limit', { overMs: 60_000, nowMs })).toBeUndefined();
    const { made: _, ...earlier } = kept[0] ?? { atMs: 0, accepted: 0, throttled: 0, learnedPerS: 0, waitsUntilMs: 0 };
    expect(madePerMinute([earlier], 'limit', { overMs: 60_000, nowMs })).toBeUndefined();
  },
);

testInTime('before a limit is met the learned rate of a sample is 0', async (time) => {
  const samples = samplesOf(time);
  const pace = time.openPace();
  await pace.take(never);
  await pace.answered();
  await pace.look();
  await samples.add();
  expect(await samples.read()).toMatchObject([{ accepted: 1, throttled: 0, learnedPerS: 0 }]);
});
