import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RateLimitSettings } from '../../src/stand-in/fault-settings.ts';
import { makeBucket, rateLimitHeaders } from '../../src/stand-in/rate-limit.ts';

const limit = (settings: Partial<RateLimitSettings> = {}): RateLimitSettings => ({
  perS: 10,
  burst: 5,
  headers: 'none',
  ...settings,
});

describe('the bucket', () => {
  test('lets a burst pass, then as many as the rate gives, and says when the next may come', () => {
    const bucket = makeBucket();
    const passed = (nowMs: number) => bucket.pass(limit(), nowMs).allowed;
    expect([0, 0, 0, 0, 0, 0, 0].map(passed)).toEqual([true, true, true, true, true, false, false]);
    expect(bucket.pass(limit(), 40)).toMatchObject({ allowed: false, remaining: 0, nextInS: expect.closeTo(0.06) });
    expect(passed(100)).toBe(true);
    expect(passed(100)).toBe(false);
    expect(bucket.pass(limit(), 60_000)).toMatchObject({ allowed: true, remaining: 4, fullInS: expect.closeTo(0.1) });
  });

  test('never lets more pass than burst + rate × time, whenever requests come', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 });
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 20 }), (steps, perS, burst) => {
        const bucket = makeBucket();
        let nowMs = 0;
        let passed = 0;
        for (const step of steps) {
          nowMs += step;
          if (bucket.pass(limit({ perS, burst }), nowMs).allowed) passed += 1;
          expect(passed).toBeLessThanOrEqual(burst + (nowMs / 1_000) * perS + 1e-6);
        }
      }),
    );
  });

  test('takes new settings between two requests, and gives nothing back for them', () => {
    const bucket = makeBucket();
    for (let request = 0; request < 5; request += 1) bucket.pass(limit(), 0);
    expect(bucket.pass(limit({ burst: 100 }), 0).allowed).toBe(false);
    expect(bucket.pass(limit({ perS: 1 }), 100).allowed).toBe(false);
    expect(bucket.pass(limit({ perS: 1 }), 1_000).allowed).toBe(true);
  });

  test('is a second’s worth deep by default, and one request at least', () => {
    const { burst: _, ...withoutBurst } = limit();
    expect(makeBucket().pass(withoutBurst, 0).remaining).toBe(9);
    expect(makeBucket().pass({ ...withoutBurst, perS: 0.5 }, 0)).toMatchObject({ allowed: true, remaining: 0 });
  });
});

describe('the headers', () => {
  const nowEpochMs = Date.UTC(2026, 10, 21, 10, 0, 0, 500);
  const passed = { allowed: true, remaining: 3, nextInS: 0, fullInS: 1.25 };
  const refused = { allowed: false, remaining: 0, nextInS: 2.25, fullInS: 4 };
  const three = (prefix: string, remaining: string, reset: string) => ({
    [`${prefix}-limit`]: '10',
    [`${prefix}-remaining`]: remaining,
    [`${prefix}-reset`]: reset,
  });
  const policy = { 'ratelimit-policy': '"default";q=10;w=1' };

  test.each([
    ['none', {}, {}],
    ['retry-after-seconds', {}, { 'retry-after': '3' }],
    ['retry-after-date', {}, { 'retry-after': 'Sat, 21 Nov 2026 10:00:03 GMT' }],
    ['ratelimit', { ...policy, ratelimit: '"default";r=3;t=2' }, { ...policy, ratelimit: '"default";r=0;t=3' }],
    ['ratelimit-older', three('ratelimit', '3', '2'), three('ratelimit', '0', '3')],
    ['x-ratelimit-seconds', three('x-ratelimit', '3', '2'), three('x-ratelimit', '0', '3')],
    ['x-ratelimit-epoch-s', three('x-ratelimit', '3', '1795255202'), three('x-ratelimit', '0', '1795255203')],
    ['x-ratelimit-epoch-ms', three('x-ratelimit', '3', '1795255201750'), three('x-ratelimit', '0', '1795255202750')],
    [
      'x-ratelimit-iso',
      three('x-ratelimit', '3', '2026-11-21T10:00:01.750Z'),
      three('x-ratelimit', '0', '2026-11-21T10:00:02.750Z'),
    ],
  ] as const)('%s', (headers, whenPassed, whenRefused) => {
    expect(rateLimitHeaders(limit({ headers }), passed, nowEpochMs)).toEqual(whenPassed);
    expect(rateLimitHeaders(limit({ headers }), refused, nowEpochMs)).toEqual(whenRefused);
  });

  test.each([
    ['a burst of two minutes', { perS: 2, burst: 240 }, '"default";q=240;w=120'],
    ['less than one a second', { perS: 0.1, burst: 1 }, '"default";q=1;w=10'],
  ])('the policy tells the long run: %s', (_name, settings, text) => {
    const headers = rateLimitHeaders(limit({ ...settings, headers: 'ratelimit' }), passed, nowEpochMs);
    expect(headers['ratelimit-policy']).toBe(text);
  });
});
