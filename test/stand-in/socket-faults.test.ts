import { request } from 'undici';
import { expect, test } from 'vitest';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { type Caller, openStandIn, until } from '../support/service-caller.ts';

type Rule = NonNullable<FaultChange['rules']>[number];

const company = { name: 'A' };

async function openWith(rule: Rule) {
  const { standIn, caller } = await openStandIn({ faults: { rules: [rule] } });
  return { standIn, caller, made: () => standIn.counts().made.company };
}

/** Sends a company, and resolves as soon as the head of the answer is there. */
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
] as const)('ends the connection %s, before or after it is made', async (_name, fault, error) => {
  for (const made of [false, true]) {
    const { standIn, caller, made: count } = await openWith({ on: 'company', made, ...fault });
    await expect(caller.post('company', company)).rejects.toMatchObject(error);
    expect(count()).toBe(made ? 1 : 0);
    expect(standIn.counts().requests.company).toEqual({ [fault.fault]: 1 });
  }
});

test.each([false, true])('a request may never be answered, whether it is made or not: %s', async (made) => {
  const { standIn, caller, made: count } = await openWith({ on: 'company', fault: 'silence', made });
  const abort = new AbortController();
  const aborted = expect(begin(caller, standIn.url(), abort.signal)).rejects.toMatchObject({ name: 'AbortError' });
  await until(() => expect(standIn.counts().requests.company).toEqual({ silence: 1 }));
  expect(count()).toBe(made ? 1 : 0);
  abort.abort();
  await aborted;
});

test('a slow answer sends its head at once and its body bit by bit', async () => {
  const { standIn, caller, made } = await openWith({ on: 'company', fault: 'slow', bytesPerS: 400 });
  const { status, body } = await begin(caller, standIn.url());
  expect(status).toBe(201);
  const pieces: string[] = [];
  for await (const piece of body) pieces.push(String(piece));
  expect(pieces.length).toBeGreaterThan(1);
  expect(JSON.parse(pieces.join('')).object).toBe('company');
  expect(made()).toBe(1);
});

test('an answer may send its head and half of its body, and no more', async () => {
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
] as const)('sends a body of %s', async (_name, body, shape) => {
  const { caller, made } = await openWith({ on: 'company', fault: 'broken', body });
  const { status, text, json } = await caller.post('company', company);
  expect(status).toBe(201);
  expect(text).toMatch(shape);
  expect(json).toThrow();
  expect(made()).toBe(1);
});

test('an answer may be cut off in the middle of its body', async () => {
  const { standIn, caller, made } = await openWith({ on: 'company', fault: 'broken', body: 'cut' });
  const { status, body } = await begin(caller, standIn.url());
  expect(status).toBe(201);
  await expect(body.text()).rejects.toMatchObject({ code: 'UND_ERR_SOCKET' });
  expect(made()).toBe(1);
});
