import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RateLimitSettings, TokenSettings } from '../../src/stand-in/fault-settings.ts';
import { makeBucket, makeTokens, rateLimitHeaders } from '../../src/stand-in/gate.ts';
import { documentBody, openStandIn } from '../support/service-caller.ts';

test('a call without a token is refused', async () => {
  const { standIn, caller } = await openStandIn();
  const headers = { 'content-type': 'application/json', accept: 'application/json' };
  const { status } = await caller.send('/invoice-financing/v1/companies', { headers, body: '{"name":"A"}' });
  expect(status).toBe(401);
  expect(standIn.counts()).toMatchObject({ requests: { company: { 401: 1 } }, made: { company: 0 } });
});

test('a token that expired early is refused, and the next one is accepted', async () => {
  const { standIn, caller } = await openStandIn({ faults: { tokens: { diesAfterCalls: 2 } } });
  const statusOf = async (authorization?: string) =>
    (await caller.post('company', { name: 'A' }, authorization ? { authorization } : {})).status;
  expect([await statusOf(), await statusOf(), await statusOf()]).toEqual([201, 201, 401]);
  const { access_token: next } = (await caller.askToken()).json();
  expect(await statusOf(`Bearer ${next}`)).toBe(201);
  await standIn.setFaults({ tokens: { diesAfterS: 0 } });
  const { access_token: dead } = (await caller.askToken()).json();
  expect(await statusOf(`Bearer ${dead}`)).toBe(401);
});

// The rate is so slow that the bucket does not fill during the test.
const rateLimit = { perS: 0.001, burst: 3 };

test('the three resource endpoints share one rate limit, and token calls have none', async () => {
  const { standIn, caller } = await openStandIn({ faults: { rateLimit } });
  const company = await caller.company();
  expect((await caller.post('document', documentBody('a'))).status).toBe(201);
  expect((await caller.post('limit', { company, requested_limit: 1 })).status).toBe(201);
  for (const kind of ['company', 'document', 'limit'] as const) {
    const { status, headers, json } = await caller.post(kind, {});
    expect(status).toBe(429);
    expect(json().code).toBe('rate_limited');
    expect(headers).not.toHaveProperty('retry-after');
  }
  expect((await caller.askToken()).status).toBe(200);
  expect(standIn.counts().made).toEqual({ company: 1, document: 1, limit: 1 });
});

test('the headers state the rate limit, and their family can be changed', async () => {
  const { standIn, caller } = await openStandIn({ faults: { rateLimit: { ...rateLimit, headers: 'ratelimit' } } });
  const post = () => caller.post('company', { name: 'A' });
  const policy = '"default";q=3;w=3000';
  expect((await post()).headers).toMatchObject({
    'ratelimit-policy': policy,
    ratelimit: expect.stringMatching(/^"default";r=2;t=\d+$/),
  });
  await standIn.setFaults({ rateLimit: { ...rateLimit, headers: 'x-ratelimit-seconds' } });
  expect((await post()).headers).toMatchObject({ 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '1' });
  await standIn.setFaults({ rateLimit: { ...rateLimit, headers: 'retry-after-seconds' } });
  expect((await post()).headers).not.toHaveProperty('retry-after');
  const refused = await post();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(900);
  await standIn.setFaults({ rateLimit: null });
  expect((await post()).status).toBe(201);
});

test('a large document that is refused before it was read gets its answer', async () => {
  const { caller } = await openStandIn({ faults: { rateLimit: { ...rateLimit, burst: 1 } } });
  await caller.company();
  const { status } = await caller.post('document', documentBody(Buffer.alloc(3_000_000)));
  expect(status).toBe(429);
});

const limit = (settings: Partial<RateLimitSettings> = {}): RateLimitSettings => ({
  perS: 10,
  burst: 5,
  headers: 'none',
  ...settings,
});

describe('the bucket', () => {
  test('allows a burst, then calls at the rate, and returns when the next call is allowed', () => {
    const bucket = makeBucket();
    const passed = (nowMs: number) => bucket.pass(limit(), nowMs).allowed;
    expect([0, 0, 0, 0, 0, 0, 0].map(passed)).toEqual([true, true, true, true, true, false, false]);
    expect(bucket.pass(limit(), 40)).toMatchObject({ allowed: false, remaining: 0, nextInS: expect.closeTo(0.06) });
    expect(passed(100)).toBe(true);
    expect(passed(100)).toBe(false);
    expect(bucket.pass(limit(), 60_000)).toMatchObject({ allowed: true, remaining: 4, fullInS: expect.closeTo(0.1) });
  });

  test('never allows more calls than burst + rate × time', () => {
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

  test('applies new settings between two calls, and refunds nothing', () => {
    const bucket = makeBucket();
    for (let request = 0; request < 5; request += 1) bucket.pass(limit(), 0);
    expect(bucket.pass(limit({ burst: 100 }), 0).allowed).toBe(false);
    expect(bucket.pass(limit({ perS: 1 }), 100).allowed).toBe(false);
    expect(bucket.pass(limit({ perS: 1 }), 1_000).allowed).toBe(true);
  });

  test('allows a burst of one second by default, and at least one call', () => {
    const { burst: _, ...withoutBurst } = limit();
    expect(makeBucket().pass(withoutBurst, 0).remaining).toBe(9);
    expect(makeBucket().pass({ ...withoutBurst, perS: 0.5 }, 0)).toMatchObject({ allowed: true, remaining: 0 });
  });
});

describe('the rate limit headers', () => {
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
  ] as const)('have the right values in the family %s', (headers, whenPassed, whenRefused) => {
    expect(rateLimitHeaders(limit({ headers }), passed, nowEpochMs)).toEqual(whenPassed);
    expect(rateLimitHeaders(limit({ headers }), refused, nowEpochMs)).toEqual(whenRefused);
  });

  test.each([
    ['a burst of two minutes', { perS: 2, burst: 240 }, '"default";q=240;w=120'],
    ['less than one a second', { perS: 0.1, burst: 1 }, '"default";q=1;w=10'],
  ])('state the average rate in the policy: %s', (_name, settings, text) => {
    const headers = rateLimitHeaders(limit({ ...settings, headers: 'ratelimit' }), passed, nowEpochMs);
    expect(headers['ratelimit-policy']).toBe(text);
  });
});

const usual: TokenSettings = { field: 'access_token', lifetimeS: 60 };

/** Tokens with a clock that the test moves. */
function tokensAt(startMs: number) {
  let nowMs = startMs;
  const tokens = makeTokens({ nowMs: () => nowMs });
  return {
    admit: tokens.admit,
    issue: (settings: TokenSettings) => `Bearer ${tokens.issue(settings)[settings.field]}`,
    passS: (seconds: number) => {
      nowMs += seconds * 1_000;
    },
  };
}

test.each([
  ['with the names of RFC 6749', usual, ['access_token', 'expires_in', 'token_type']],
  ['without a lifetime', { ...usual, lifetimeS: null }, ['access_token', 'token_type']],
  ['with another name', { ...usual, field: 'jwt' }, ['expires_in', 'jwt', 'token_type']],
])('a token is answered %s', (_name, settings, fields) => {
  expect(Object.keys(makeTokens().issue(settings)).sort()).toEqual(fields);
});

test.each([
  ['at the end of its stated lifetime', usual, 59.9, 60],
  ['earlier than stated', { ...usual, diesAfterS: 2 }, 1.9, 2],
  ['later than stated', { ...usual, diesAfterS: 90 }, 60, 90],
])('a token expires %s', (_name, settings, lastS, deadS) => {
  const { admit, issue, passS } = tokensAt(1_000);
  const bearer = issue(settings);
  passS(lastS);
  expect(admit(bearer)).toBe(true);
  passS(deadS - lastS + 0.001);
  expect(admit(bearer)).toBe(false);
});

test.each([undefined, '', 'Bearer', 'Bearer ', 'Bearer made-up', 'Basic abc'])('the header %j is refused', (header) => {
  expect(tokensAt(0).admit(header)).toBe(false);
});

test('a token is forgotten after ten thousand newer ones', () => {
  const { admit, issue } = tokensAt(0);
  const first = issue(usual);
  const second = issue(usual);
  for (let issued = 0; issued < 9_999; issued += 1) issue(usual);
  expect(admit(first)).toBe(false);
  expect(admit(second)).toBe(true);
});
