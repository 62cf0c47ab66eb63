import { expect, test } from 'vitest';
import type { Tripped } from '../../src/pace/breaker-words.ts';
import { describeLearned, describePace, type PaceState } from '../../src/pace/pace-words.ts';

const now = new Date(2026, 10, 21, 10, 30, 0).getTime();

const atLimit: PaceState = {
  phase: 'hold',
  ratePerS: 98.2,
  flowPerS: 97,
  isLimiting: true,
  atCeiling: false,
  blocked: undefined,
};

const trippedFor = (ms: number, ...kinds: Tripped['kind'][]) =>
  kinds.map((kind) => ({ kind, why: 'status 502', untilMs: now + ms, isTried: false }));
const triedNow = trippedFor(-1, 'limit').map((tripped) => ({ ...tripped, isTried: true }));
const idle = { ...atLimit, isLimiting: false, flowPerS: 0 };

const blockedFor = (why: string, ms: number) => ({ ...atLimit, blocked: { why, untilMs: now + ms } });

test.each<[PaceState, string]>([
  [atLimit, "at the service's limit, 98 calls/s"],
  [{ ...atLimit, ratePerS: 0.52 }, "at the service's limit, 31 calls a minute"],
  [{ ...atLimit, phase: 'start', ratePerS: 160 }, "finding the service's limit, 97 calls/s"],
  [{ ...atLimit, phase: 'start', ratePerS: 1.3, flowPerS: 40 }, "finding the service's limit, 40 calls/s"],
  [{ ...atLimit, phase: 'start', ratePerS: 20, flowPerS: 0 }, ''],
  [{ ...atLimit, atCeiling: true, ratePerS: 39.2 }, 'at the highest rate that is set, 39 calls/s'],
  [{ ...atLimit, isLimiting: false }, 'as fast as the service answers, 97 calls/s reached'],
  [{ ...atLimit, isLimiting: false, flowPerS: 0 }, ''],
  [blockedFor('the service asked to wait', 65_000), 'the service asked to wait, next try at 10:31:05'],
  [blockedFor('the service is not answering', 3_200), 'the service is not answering, next try in 4 s'],
  [blockedFor('Redis is full. It goes on.', 3_200), 'Redis is full. It goes on. Next try in 4 s'],
  [blockedFor('what is over', -1), "at the service's limit, 98 calls/s"],
  [
    { ...idle, tripped: trippedFor(7_100, 'limit') },
    'the outcome of limit requests is unknown (status 502); next try in 8 s',
  ],
  [
    { ...idle, tripped: trippedFor(65_000, 'company', 'document') },
    'the outcome of company requests and document uploads is unknown (status 502); next try at 10:31:05',
  ],
  [
    { ...atLimit, tripped: triedNow },
    "the outcome of limit requests is unknown (status 502); the next try is under way; at the service's limit, 98 calls/s",
  ],
  [
    { ...idle, tripped: trippedFor(-1, 'limit') },
    'the outcome of limit requests is unknown (status 502); the next such call is the next try',
  ],
])('pace state %# is described in words', (state, words) => {
  expect(describePace(state, now)).toBe(words);
});

test('describeLearned also describes an idle pace', () => {
  expect(describeLearned(idle, now)).toContain('98 calls/s');
  expect(describeLearned({ ...idle, phase: 'start' }, now)).toBe('');
  expect(describeLearned(atLimit, now)).toBe(describePace(atLimit, now));
});
