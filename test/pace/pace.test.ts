import { describe, expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import type { Pace } from '../../src/pace/pace.ts';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { inVirtualTime, readUntil, testInTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;

/** How long all calls are stopped, as the process knows. */
const stoppedMs = (pace: Pace): number => (pace.state().blocked?.untilMs ?? 0) - Date.now();

/** Takes permits and reports each call as accepted. Returns the episode of the last. */
async function pass(pace: Pace, calls: number): Promise<number> {
  let episode = 0;
  for (let call = 0; call < calls; call += 1) {
    const permit = await pace.take(never);
    episode = permit.episode;
    await pace.answered();
  }
  return episode;
}

describe.concurrent('a block', () => {
  testInTime('stops every process for as long as the service asks', async (time) => {
    const [mine, other] = [time.openPace(), time.openPace()];
    await mine.block({ why: 'status 429', because: 'limit', headers: { 'retry-after': '60' }, episode: 0 });
    void other.take(never);
    const why = await readUntil(() => other.state().blocked?.why, Boolean);
    expect(why).toBe('the service asked to wait');
    expect(stoppedMs(other)).toBeGreaterThan(50_000);
  });

  testInTime('that ends early is noticed by waiting callers within about two seconds', async (time) => {
    const { connection, paceKey: key } = time;
    const pace = time.openPace();
    await pace.block({ why: 'status 429', because: 'limit', headers: { 'retry-after': '3600' }, episode: 0 });
    const permit = pace.take(never);
    await connection.hset(key, 'until', 0);
    const begin = performance.now();
    await permit;
    expect(performance.now() - begin).toBeLessThan(2_500);
  });

  testInTime('counts once for many calls that met one limit', async (time) => {
    const pace = time.openPace();
    const permits = await Promise.all(Array.from({ length: 20 }, () => pace.take(never)));
    for (const permit of permits) {
      await pace.block({ why: 'too fast', because: 'limit', episode: permit.episode });
    }
    // Doubled twenty times it would last days; one episode costs the first wait.
    expect(stoppedMs(pace)).toBeLessThan(1_000);
    expect(await pace.take(never)).toMatchObject({ episode: 1 });
  });

  testInTime('doubles while the service is away, up to a few seconds', async (time) => {
    const pace = time.openPace();
    const waits: number[] = [];
    for (let episode = 0; episode < 8; episode += 1) {
      await pace.block({ why: 'gone', because: 'outage', episode });
      waits.push(stoppedMs(pace));
    }
    expect(waits[0]).toBeLessThanOrEqual(250);
    expect(waits[7]).toBeGreaterThan(3_000);
    expect(waits[7]).toBeLessThanOrEqual(4_000);
  });

  testInTime('can be asked for by any answer, and then changes neither the rate nor the episode', async (time) => {
    const pace = time.openPace();
    await pass(pace, 40);
    const { ratePerS } = pace.state();
    await pace.obey({ 'retry-after': '1' });
    expect(stoppedMs(pace)).toBeGreaterThan(900);
    expect(stoppedMs(pace)).toBeLessThanOrEqual(1_000);
    await pace.answered({ 'retry-after': '2' });
    expect(stoppedMs(pace)).toBeGreaterThan(1_900);
    expect(await pace.take(never)).toMatchObject({ episode: 0 });
    expect(pace.state().ratePerS).toBeGreaterThanOrEqual(ratePerS);
  });

  testInTime('is not set by Retry-After while a part of the allowance is left', async (time) => {
    const pace = time.openPace();
    await pace.answered({ 'retry-after': '0.8', 'x-ratelimit-remaining': '39', 'x-ratelimit-reset': '1' });
    expect(stoppedMs(pace)).toBeLessThanOrEqual(0);
    await pace.answered({ 'retry-after': '0.8', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' });
    expect(stoppedMs(pace)).toBeGreaterThan(700);
  });

  testInTime('is short again after the service answered', async (time) => {
    const pace = time.openPace();
    await pace.block({ why: 'gone', because: 'outage', episode: 0 });
    await pace.take(never);
    await pace.answered();
    await pace.block({ why: 'gone', because: 'outage', episode: 1 });
    expect(stoppedMs(pace)).toBeLessThanOrEqual(250);
  });

  testInTime('recalls permits that were handed out and are not yet due', async (time) => {
    const pace = time.openPace();
    await pass(pace, 40);
    const waiting = Array.from({ length: 10 }, () => pace.take(never));
    await waiting[0];
    await pace.block({ why: 'gone', because: 'outage', episode: 0 });
    const last = await waiting[9];
    expect(last).toMatchObject({ episode: 1 });
  });
});

describe.concurrent('the learned rate', () => {
  testInTime('rises while calls are accepted, and falls after a limit was met', async (time) => {
    const pace = time.openPace();
    const episode = await pass(pace, 60);
    const before = pace.state().ratePerS;
    expect(before).toBeGreaterThan(100);
    await pace.block({ why: 'too fast', because: 'limit', episode });
    await pace.take(never);
    expect(pace.state()).toMatchObject({ phase: 'search' });
    expect(pace.state().ratePerS).toBeLessThanOrEqual(0.76 * before);
  });

  testInTime('is not changed by an outage', async (time) => {
    const pace = time.openPace();
    const episode = await pass(pace, 40);
    const before = pace.state().ratePerS;
    await pace.block({ why: 'gone', because: 'outage', episode });
    await pace.take(never);
    expect(pace.state().ratePerS).toBeGreaterThanOrEqual(before);
  });

  testInTime('is shared with other processes', async (time) => {
    const [mine, next] = [time.openPace(), time.openPace()];
    await pass(mine, 60);
    // This process goes on learning from answers that it has not reported yet.
    const learned = mine.state().ratePerS;
    await next.take(never);
    expect(learned).toBeGreaterThan(100);
    expect(next.state().ratePerS).toBeGreaterThanOrEqual(learned);
  });

  test.each([
    ['with what is left', { 'ratelimit-policy': '"default";q=300;w=2', ratelimit: '"default";r=299;t=2' }],
    ['alone', { 'ratelimit-policy': '"default";q=300;w=2' }],
  ])('is the rate that the service states, %s', (_name, headers) =>
    inVirtualTime(async (time) => {
      const pace = time.openPace();
      await pace.take(never);
      await pace.answered(headers);
      await pace.take(never);
      // Calls without an answer change nothing.
      await pace.take(never);
      await pace.look();
      expect(pace.state().ratePerS).toBeGreaterThan(140);
      expect(pace.state().ratePerS).toBeLessThanOrEqual(150);
      expect(await makePaceReader(time.connection, time.paceKey)()).toMatchObject({
        statedPerS: expect.closeTo(149, 0),
      });
    }),
  );

  testInTime('falls before an allowance is used up, without a refusal', async (time) => {
    const pace = time.openPace();
    const rates: number[] = [];
    // The first calls cost nothing; then each takes half a call from the allowance.
    for (let call = 0; call < 120; call += 1) {
      await pace.take(never);
      const left = 60 - Math.max(0, Math.floor((call - 30) / 2));
      await pace.answered({ 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': '1' });
      rates.push(pace.state().ratePerS);
    }
    expect(pace.state().phase).not.toBe('start');
    expect(pace.state().ratePerS).toBeLessThan(Math.max(...rates));
  });

  testInTime('uses up the rest of a long window, falls near its end, and waits when nothing is left', async (time) => {
    const pace = time.openPace();
    const allowance = (remaining: string) => ({
      'x-ratelimit-limit': '1000',
      'x-ratelimit-remaining': remaining,
      'x-ratelimit-reset': '100',
    });
    await pace.take(never);
    await pace.answered(allowance('100'));
    await pace.take(never);
    expect(pace.state().ratePerS).toBeGreaterThan(10);
    await pace.answered(allowance('2'));
    await pace.take(never);
    expect(pace.state().ratePerS).toBeLessThan(5);
    await pace.answered(allowance('0'));
    void pace.take(never);
    expect(await readUntil(() => pace.state().blocked?.why, Boolean)).toContain('allowance');
  });
});

testInTime('a new server whose clock is behind hands out permits at once', async (time) => {
  const { connection, paceKey: key } = time;
  const pace = time.openPace();
  await pass(pace, 20);
  const aheadUs = 3_600_000_000;
  for (const name of ['savedAt', 'tat', 'since', 'heldAt']) {
    await connection.hset(key, name, Number(await connection.hget(key, name)) + aheadUs);
  }
  await pace.take(never);
  await pass(pace, 5);
  expect(pace.state().flowPerS).toBeGreaterThan(0);
  expect(pace.state().flowPerS).toBeLessThan(1_000);
});

// Promise: long-wait-asks-little
testInTime('a wait of a day is cut to an hour, with one warning', async (time) => {
  const warnings: string[] = [];
  const log = Object.create(makeSilentLog(), { warn: { value: (_: unknown, text: string) => warnings.push(text) } });
  const pace = time.openPace({ log });
  for (const episode of [0, 1]) {
    await pace.block({ why: 'too fast', because: 'limit', headers: { 'retry-after': '86400' }, episode });
  }
  expect(stoppedMs(pace)).toBeGreaterThan(3_500_000);
  expect(stoppedMs(pace)).toBeLessThanOrEqual(3_600_000);
  expect(warnings.filter((text) => text.includes('waiting for an hour'))).toHaveLength(1);
});

testInTime('times of day in headers are read by the clock of the service', async (time) => {
  const pace = time.openPace();
  const at = (ms: number) => new Date(ms).toUTCString();
  const hourAhead = Math.floor(Date.now() / 1_000) * 1_000 + 3_600_000;
  const headers = { date: at(hourAhead), 'retry-after': at(hourAhead + 60_000) };
  await pace.block({ why: 'too fast', because: 'limit', headers, episode: 0 });
  expect(stoppedMs(pace)).toBeGreaterThan(58_000);
  expect(stoppedMs(pace)).toBeLessThanOrEqual(60_000);
});

testInTime('a wait for a permit ends when the process stops', async (time) => {
  const pace = time.openPace({ ceilingPerS: 0.5 });
  await pace.take(never);
  const stop = new AbortController();
  const waiting = pace.take(stop.signal);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'STOPPED' });
});
