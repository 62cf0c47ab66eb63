import { expect, test } from 'vitest';
import { documentBody, openStandIn } from '../support/service-caller.ts';

test.each([
  ['no token', {}],
  ['a token that is none', { authorization: 'Bearer made-up' }],
  ['another scheme', { authorization: 'Basic YTpi' }],
])('refuses %s', async (_name, headers) => {
  const { standIn, caller } = await openStandIn();
  const { status } = await caller.send('/invoice-financing/v1/companies', {
    headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
    body: '{"name":"A"}',
  });
  expect(status).toBe(401);
  expect(standIn.counts()).toMatchObject({ requests: { company: { 401: 1 } }, made: { company: 0 } });
});

test('a token that died early is refused, and the next is taken', async () => {
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

// So slow a rate that the bucket does not fill while the test runs.
const rateLimit = { perS: 0.001, burst: 3 };

test('the three resource endpoints share one rate limit, and tokens have none', async () => {
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

test('the headers tell of the rate limit, and in another way as soon as the faults say so', async () => {
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

test('a document that is refused before it is read gets its answer', async () => {
  const { caller } = await openStandIn({ faults: { rateLimit: { ...rateLimit, burst: 1 } } });
  await caller.company();
  const { status } = await caller.post('document', documentBody(Buffer.alloc(3_000_000)));
  expect(status).toBe(429);
});
