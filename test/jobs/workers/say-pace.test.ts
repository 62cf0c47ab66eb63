import { expect, onTestFinished, test, vi } from 'vitest';
import { startSayingPace } from '../../../jobs/workers/workers.ts';
import type { Tripped } from '../../../src/pace/breaker-words.ts';
import { AT_LIMIT } from '../../support/paces.ts';
import { WAIT } from '../../support/redis/own-fixture.ts';
import { makeKeptLog } from '../../support/workplace.ts';

const trippedBreaker: Tripped = { kind: 'limit', why: 'status 502', untilMs: 0, isTried: true };

/** A pace set by the test. The process only learns its changes by looking. */
function startSaying({ isIdle = false, now = AT_LIMIT, tripped = [] as Tripped[], paused = [] as string[] } = {}) {
  const known = { state: { ...AT_LIMIT, ratePerS: 20 }, tripped };
  const { log, lines } = makeKeptLog();
  const pace = {
    state: () => known.state,
    look: async () => {
      known.state = { ...now };
      return known.state;
    },
  };
  const looks = { breakers: 0, queues: 0 };
  const breakers = {
    tripped: () => known.tripped,
    look: async () => {
      looks.breakers += 1;
      return known.tripped;
    },
  };
  const areIdle = async () => {
    looks.queues += 1;
    return isIdle;
  };
  const service = {
    pace,
    breakers,
    slots: { inFlight: () => 0 },
    paceNow: () => ({ ...known.state, tripped: known.tripped, paused }),
  };
  const saying = startSayingPace({ service, queues: { areIdle }, log, everyMs: 5 });
  onTestFinished(saying.stop);
  /** A permit was taken, or an answer recorded. */
  const move = () => {
    known.state = { ...known.state };
  };
  return { lines, looks, move };
}

test('the log shows the current pace, and nothing again until something moved', async () => {
  const { lines, looks, move } = startSaying();
  move();
  await vi.waitUntil(() => lines.length > 0, WAIT);
  expect(looks.breakers).toBe(1);
  move();
  await vi.waitUntil(() => lines.length > 1, WAIT);
  expect(lines.map(({ msg }) => msg)).toEqual(Array(2).fill("at the service's limit, 98 calls/s"));
});

test('a tripped breaker is logged again and again while rows wait behind it', async () => {
  const { lines } = startSaying({ tripped: [trippedBreaker] });
  await vi.waitUntil(() => lines.length > 2, WAIT);
  expect(lines[0]?.msg).toContain('the outcome of limit requests is unknown');
});

test('a paused queue is logged again and again, with the command that resumes it', async () => {
  const { lines } = startSaying({ paused: ['companies'] });
  await vi.waitUntil(() => lines.length > 2, WAIT);
  expect(lines[0]?.msg).toContain(
    'the queue companies is paused; let it go on with: npx limitline resume --queue companies',
  );
});

test('an idle process logs nothing, even if a breaker is tripped', async () => {
  const { lines, looks } = startSaying({ tripped: [trippedBreaker], isIdle: true });
  await vi.waitUntil(() => looks.queues > 3, WAIT);
  expect(lines).toEqual([]);
});

test('refused credentials are not logged here, because another part logs them once a minute', async () => {
  const blocked = { why: 'they are refused', because: 'credentials', untilMs: Date.now() + 60_000 };
  const { lines, looks, move } = startSaying({ now: { ...AT_LIMIT, blocked } });
  move();
  await vi.waitUntil(() => looks.breakers > 0, WAIT);
  move();
  await vi.waitUntil(() => looks.breakers > 1, WAIT);
  expect(lines).toEqual([]);
});
