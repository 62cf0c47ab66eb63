import { request } from 'undici';
import { expect, test } from 'vitest';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { type Caller, documentBody, openStandIn, until } from '../support/service-caller.ts';

type Rule = NonNullable<FaultChange['rules']>[number];

/** Sends one limit that a rule hits, and returns the answer and what was made. */
async function answerOf(rule: Rule) {
  const { standIn, caller } = await openStandIn();
  const company = await caller.company();
  await standIn.setFaults({ rules: [rule] });
  const answer = await caller.post('limit', { company, requested_limit: 100.1 });
  const { made, requests } = standIn.counts();
  return { ...answer, made: made.limit, counted: requests.limit };
}

const retryAfter = { 'retry-after': '2' };

test.each([
  ['500, not made', { status: 500 }, 0],
  ['500, made', { status: 500, made: true }, 1],
  ['429 with Retry-After', { status: 429, headers: retryAfter }, 0],
  ['418 with its own body', { status: 418, body: { teapot: true } }, 0],
  ['502 with an HTML page', { status: 502, body: '<html>bad gateway</html>' }, 0],
])('a status fault answers %s', async (_name, fault, made) => {
  const answer = await answerOf({ on: 'limit', fault: 'status', ...fault });
  expect(answer).toMatchObject({ status: fault.status, made, counted: { [fault.status]: 1 } });
  expect(answer.headers).toMatchObject('headers' in fault ? fault.headers : {});
  if ('body' in fault)
    expect(answer.text).toBe(typeof fault.body === 'string' ? fault.body : JSON.stringify(fault.body));
  else expect(answer.json()).toMatchObject({ object: 'error', code: 'fault' });
});

test('a status of success with made keeps the body of the resource', async () => {
  const answer = await answerOf({ on: 'limit', fault: 'status', status: 202, made: true });
  expect(answer).toMatchObject({ status: 202, made: 1 });
  expect(answer.json().object).toBe('buyer_limit');
});

test.each([
  ['with an id of a wrong prefix', { set: { id: 'limit_7' } }, { id: 'limit_7', status: 'approved' }],
  ['with a number for an id', { set: { id: 7 } }, { id: 7, object: 'buyer_limit' }],
  ['with another status word', { set: { status: 'in_review' } }, { status: 'in_review', total_limit: 100.1 }],
])('an answer fault answers %s', async (_name, fault, fields) => {
  const answer = await answerOf({ on: 'limit', fault: 'answer', ...fault });
  expect(answer).toMatchObject({ status: 201, made: 1 });
  expect(answer.json()).toMatchObject(fields);
});

test('an answer fault can leave out the id', async () => {
  const answer = await answerOf({ on: 'limit', fault: 'answer', drop: ['id'] });
  expect(answer).toMatchObject({ status: 201, made: 1 });
  expect(answer.json()).not.toHaveProperty('id');
  expect(answer.json().status).toBe('approved');
});

test('an answer fault can change the status of success', async () => {
  const { standIn, caller } = await openStandIn({
    faults: { rules: [{ on: 'company', fault: 'answer', status: 202 }] },
  });
  expect((await caller.post('company', { name: 'A' })).status).toBe(202);
  expect(standIn.counts().made.company).toBe(1);
});

test('a decision fault changes status and amounts, in whole cents', async () => {
  const answer = await answerOf({ on: 'limit', fault: 'decision', status: 'pending', share: 1 / 3 });
  expect(answer.json()).toMatchObject({
    status: 'pending',
    requested_limit: 100.1,
    total_limit: 33.37,
    available_limit: 33.37,
  });
});

test('a rule can match text in the body, and does not hit requests that are refused anyway', async () => {
  const rules: Rule[] = [{ on: 'any', fault: 'status', status: 500, match: 'name=b.pdf', times: 1 }];
  const { standIn, caller } = await openStandIn({ faults: { rules } });
  const statusOf = async (name: string, content = 'x') =>
    (await caller.post('document', documentBody(content, { name }))).status;
  expect((await caller.post('document', { purpose: 'p', file: 'name=b.pdf' })).status).toBe(422);
  expect([await statusOf('a.pdf'), await statusOf('b.pdf'), await statusOf('b.pdf')]).toEqual([201, 500, 201]);
  expect(standIn.faultHits()).toEqual([1]);
});

test('rules also apply to token calls', async () => {
  const { standIn, caller } = await openStandIn({ faults: { rules: [{ on: 'token', fault: 'status', status: 500 }] } });
  expect((await caller.askToken()).status).toBe(500);
  await standIn.setFaults({ rules: [{ on: 'token', fault: 'answer', set: { access_token: 'forged' } }] });
  expect((await caller.askToken()).json().access_token).toBe('forged');
});

test('an answer waits for the current latency', async () => {
  const { standIn, caller } = await openStandIn();
  await caller.company();
  await standIn.setFaults({ latencyMs: [200, 230] });
  const startedMs = performance.now();
  await Promise.all(['A', 'B', 'C'].map((name) => caller.company(name)));
  // Timers may fire slightly early by this clock.
  expect(performance.now() - startedMs).toBeGreaterThan(190);
  expect(standIn.maxInFlight()).toBe(3);
});

const company = { name: 'A' };

async function openWith(rule: Rule) {
  const { standIn, caller } = await openStandIn({ faults: { rules: [rule] } });
  return { standIn, caller, made: () => standIn.counts().made.company };
}

/** Sends a company, and resolves as soon as the head of the answer has arrived. */
async function begin(caller: Caller, url: string, signal = new AbortController().signal) {
  const headers = await caller.headersOf();
  const { statusCode, body } = await request(url + SERVICE_PATHS.company, {
    method: 'POST',
    headers,
    body: JSON.stringify(company),
    signal,
  });
  return { status: statusCode, body };
}

test.each([
  ['by RST', { fault: 'reset', by: 'rst' }, { code: 'ECONNRESET' }],
  ['by FIN', { fault: 'reset', by: 'fin' }, { code: 'UND_ERR_SOCKET' }],
  ['with bytes that are not HTTP', { fault: 'not-http' }, { name: 'HTTPParserError' }],
] as const)('a fault ends the connection %s, before or after the company is made', async (_name, fault, error) => {
  for (const made of [false, true]) {
    const { standIn, caller, made: count } = await openWith({ on: 'company', made, ...fault });
    await expect(caller.post('company', company)).rejects.toMatchObject(error);
    expect(count()).toBe(made ? 1 : 0);
    expect(standIn.counts().requests.company).toEqual({ [fault.fault]: 1 });
  }
});

test.each([false, true])('a silence fault never answers (made: %s)', async (made) => {
  const { standIn, caller, made: count } = await openWith({ on: 'company', fault: 'silence', made });
  const abort = new AbortController();
  const aborted = expect(begin(caller, standIn.url(), abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  await until(() => expect(standIn.counts().requests.company).toEqual({ silence: 1 }));
  expect(count()).toBe(made ? 1 : 0);
  abort.abort();
  await aborted;
});

test('a slow fault sends the head at once and the body in pieces', async () => {
  const { standIn, caller, made } = await openWith({ on: 'company', fault: 'slow', bytesPerS: 400 });
  const { status, body } = await begin(caller, standIn.url());
  expect(status).toBe(201);
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(String(piece));
  expect(pieces.length).toBeGreaterThan(1);
  expect(JSON.parse(pieces.join('')).object).toBe('company');
  expect(made()).toBe(1);
});

test('a slow fault with 0 bytes a second sends the head and half of the body only', async () => {
  const { standIn, caller, made } = await openWith({ on: 'company', fault: 'slow', bytesPerS: 0 });
  const abort = new AbortController();
  const { status, body } = await begin(caller, standIn.url(), abort.signal);
  expect(status).toBe(201);
  const first = await new Promise<string>((resolve) => body.once('data', (piece) => resolve(String(piece))));
  expect(first).toMatch(/^\{"id":"company_/);
  expect(() => JSON.parse(first)).toThrow();
  const broken = expect(body.text()).rejects.toThrow();
  abort.abort();
  await broken;
  expect(made()).toBe(1);
});

test.each([
  ['no JSON', 'not-json', /^<html>/],
  ['half of the JSON', 'half-json', /^\{"id":"company_[^}]*$/],
  ['nothing', 'empty', /^$/],
] as const)('a broken fault sends a body with %s', async (_name, body, shape) => {
  const { caller, made } = await openWith({ on: 'company', fault: 'broken', body });
  const { status, text, json } = await caller.post('company', company);
  expect(status).toBe(201);
  expect(text).toMatch(shape);
  expect(json).toThrow();
  expect(made()).toBe(1);
});

test('a broken fault with "cut" ends the connection in the middle of the body', async () => {
  const { standIn, caller, made } = await openWith({ on: 'company', fault: 'broken', body: 'cut' });
  const { status, body } = await begin(caller, standIn.url());
  expect(status).toBe(201);
  await expect(body.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  expect(made()).toBe(1);
});
