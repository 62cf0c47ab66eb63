import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AnswerHeaders } from '../../src/answer-headers.ts';
import { type LimitWords, readDate, readLimitWords } from '../../src/pace/limit-headers.ts';

const now = Date.parse('2026-11-21T10:00:00Z');
const nowS = now / 1_000;

test.each<[string, AnswerHeaders, LimitWords]>([
  ['nothing', {}, {}],
  ['seconds', { 'retry-after': '3' }, { retryAfterMs: 3_000 }],
  ['zero seconds', { 'retry-after': '0' }, { retryAfterMs: 0 }],
  ['surrounding spaces', { 'retry-after': ' 12 ' }, { retryAfterMs: 12_000 }],
  ['a repeated header', { 'retry-after': ['2', '9'] }, { retryAfterMs: 2_000 }],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 10:00:05 GMT' }, { retryAfterMs: 5_000 }],
  ['a past date', { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, { retryAfterMs: 0 }],
  ['a day, capped', { 'retry-after': '86400' }, { retryAfterMs: 3_600_000, capped: 'Retry-After' }],
  ['a fraction', { 'retry-after': '1.5' }, { retryAfterMs: 1_500 }],
  ['a negative number', { 'retry-after': '-1' }, {}],
  ['words', { 'retry-after': 'soon' }, {}],
  ['a date in another form', { 'retry-after': '2026-11-21T10:00:05Z' }, {}],
  [
    "the IETF's pair with a short window",
    { 'ratelimit-policy': '"default";q=100;w=1', ratelimit: '"default";r=19;t=1' },
    { limit: 100, windowS: 1, remaining: 19, resetMs: 1_000 },
  ],
  [
    "the IETF's pair with a long window",
    { 'ratelimit-policy': '"default";q=100;w=60', ratelimit: '"default";r=50;t=30' },
    { limit: 100, remaining: 50, resetMs: 30_000 },
  ],
  [
    'several policies: the tightest rate, and the allowance that is used up first',
    { 'ratelimit-policy': '"burst";q=20;w=2, "day";q=5000;w=86400', ratelimit: '"burst";r=7;t=1, "day";r=3;t=600' },
    { limit: 20, windowS: 2, remaining: 3, resetMs: 600_000 },
  ],
  [
    'the allowance that is used up first, although more of it is left',
    { 'ratelimit-policy': '"a";q=10;w=1, "b";q=500;w=60', ratelimit: '"a";r=9;t=1, "b";r=60;t=30' },
    { limit: 10, windowS: 1, remaining: 60, resetMs: 30_000 },
  ],
  [
    'a pair with spaces and a partition key',
    { 'ratelimit-policy': '"200-in-5sec"; q=200; w=5; pk=:MTJj:', ratelimit: '"200-in-5sec"; r=199; t=5' },
    { limit: 200, windowS: 5, remaining: 199, resetMs: 5_000 },
  ],
  [
    'the seventh draft',
    { 'ratelimit-policy': '200;w=5', ratelimit: 'limit=200, remaining=150, reset=4' },
    { limit: 200, windowS: 5, remaining: 150, resetMs: 4_000 },
  ],
  ['a policy that counts bytes', { 'ratelimit-policy': '"b";q=1000;w=5;qu="content-bytes"' }, {}],
  ['a malformed pair', { 'ratelimit-policy': '"a";q=-1;w=0', ratelimit: 'r=x;;t' }, {}],
  [
    'the three older headers',
    { 'ratelimit-limit': '100, 100;w=60', 'ratelimit-remaining': '42', 'ratelimit-reset': '7' },
    { limit: 100, remaining: 42, resetMs: 7_000 },
  ],
  [
    'X-RateLimit with seconds left',
    { 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '30' },
    { limit: 60, remaining: 0, resetMs: 30_000 },
  ],
  ['seconds since 1970', { 'x-ratelimit-reset': String(nowS + 9) }, { resetMs: 9_000 }],
  ['milliseconds since 1970', { 'x-ratelimit-reset': String(now + 250) }, { resetMs: 250 }],
  ['an ISO date', { 'x-ratelimit-reset': '2026-11-21T10:00:00.500Z' }, { resetMs: 500 }],
  [
    'the other spelling',
    { 'x-rate-limit-reset': '4', 'x-rate-limit-remaining': '1' },
    { remaining: 1, resetMs: 4_000 },
  ],
  [
    'a reset in a thousand years, capped',
    { 'x-ratelimit-reset': '33320000000' },
    { resetMs: 3_600_000, capped: 'the reset of a rate limit' },
  ],
  ['a past reset', { 'x-ratelimit-reset': String(nowS - 10) }, { resetMs: 0 }],
  ['an invalid date', { 'x-ratelimit-reset': '2026-13-45T99:00:00Z' }, {}],
])('reads %s', (_name, headers, expected) => {
  expect(readLimitWords(headers, now)).toEqual(expected);
});

test.each([
  ['Sat, 21 Nov 2026 10:00:05 GMT', now + 5_000],
  ['2026-11-21T10:00:05Z', undefined],
  ['Sat, 41 Nov 2026 10:00:05 GMT', undefined],
  ['', undefined],
])('the Date header %j is read as %s', (date, expected) => {
  expect(readDate({ date })).toBe(expected);
});

test('any headers give only finite, non-negative numbers, and no error', () => {
  const value = fc.oneof(
    fc.string(),
    fc.stringMatching(/^-?[\d.]{1,400}$/),
    fc.stringMatching(/^"[a-z]*"(;[qwrt]=\d{1,30}){0,4}$/),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.array(fc.string(), { maxLength: 3 }),
  );
  const name = fc.constantFrom(
    'date',
    'retry-after',
    'ratelimit',
    'ratelimit-policy',
    'ratelimit-limit',
    'ratelimit-remaining',
    'ratelimit-reset',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
    'x-rate-limit-reset',
  );
  fc.assert(
    fc.property(fc.dictionary(name, value), (headers) => {
      const { capped, ...numbers } = readLimitWords(headers, now);
      for (const number of Object.values(numbers)) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(1e9);
      }
      expect(numbers.windowS).not.toBe(0);
    }),
  );
});
