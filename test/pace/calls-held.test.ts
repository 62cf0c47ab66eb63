import { expect, test } from 'vitest';
import { makeSilentLog } from '../../src/log.ts';
import { makeBreakers } from '../../src/pace/breakers.ts';
import { readCallsHeld } from '../../src/pace/calls-held.ts';
import { makePace } from '../../src/pace/pace.ts';
import { connectRedis, freshPrefix } from '../support/ledger.ts';

function openPlace() {
  const connection = connectRedis();
  const keys = { pace: freshPrefix(), breakers: freshPrefix() };
  const log = makeSilentLog();
  return {
    look: () => readCallsHeld(connection, keys),
    pace: makePace({ connection, key: keys.pace, ceilingPerS: undefined, log }),
    breakers: makeBreakers({ connection, key: keys.breakers, log }),
  };
}

const again = { headers: { 'retry-after': '60' } };

test('before any call nothing holds calls back', async () => {
  const { look } = openPlace();
  expect(await look()).toEqual({
    nowMs: expect.any(Number),
    accepted: 0,
    blocked: undefined,
    tripped: [],
    probeMs: 0,
    isTried: false,
    resetMs: 0,
  });
});

test.each([
  ['limit', {}, 'limit'],
  ['outage', {}, 'outage'],
  ['replicas', {}, 'replicas'],
  ['credentials', {}, 'credentials'],
  ['credentials', again, 'credentials'],
  ['outage', again, 'asked'],
  ['limit', again, 'asked'],
] as const)('a wait because of %s, with headers %j, is reported as %s', async (because, headers, by) => {
  const { look, pace } = openPlace();
  const { nowMs: before } = await look();
  await pace.block({ why: 'for a reason', because, askedMs: 4_000, episode: 0, ...headers });
  const { blocked } = await look();
  expect(blocked?.by).toBe(by);
  // A wait of a quarter of a second may be over at the time of the look.
  expect(blocked?.untilMs).toBeGreaterThan(before);
});

test('a wait is reported with its end, also after it, and whether a call was accepted since', async () => {
  const { look, pace } = openPlace();
  await pace.block({ why: 'not there', because: 'outage', episode: 0 });
  const isOver = async () => {
    const { blocked, nowMs } = await look();
    return blocked !== undefined && blocked.untilMs < nowMs;
  };
  await expect.poll(isOver).toBe(true);
  expect(await look()).toMatchObject({ accepted: 0, blocked: { by: 'outage', gotThrough: false } });
  await pace.answered();
  await expect.poll(look).toMatchObject({ accepted: 1, blocked: { by: 'outage', gotThrough: true } });
});

test('a kind of call is reported as tripped after three unknown answers', async () => {
  const { look, breakers } = openPlace();
  for (let times = 0; times < 3; times += 1) await breakers.unknown('limit', 'status 502', undefined);
  const { tripped, probeMs, nowMs } = await look();
  expect(tripped).toEqual(['limit']);
  // The first probe is due a second later.
  expect(probeMs).toBeGreaterThan(nowMs - 60_000);
  expect(probeMs).toBeLessThan(nowMs + 60_000);
});

test("the time of a breaker's last reset is reported", async () => {
  const { look, breakers } = openPlace();
  for (let times = 0; times < 3; times += 1) await breakers.unknown('limit', 'status 502', undefined);
  const { nowMs } = await look();
  const { signal } = new AbortController();
  const probe = await breakers.enter('limit', { signal, tryToken: async () => true });
  await breakers.known('limit', undefined, probe);
  const opened = await look();
  expect(opened).toMatchObject({ tripped: [], isTried: false });
  expect(opened.resetMs).toBeGreaterThan(nowMs);
});
