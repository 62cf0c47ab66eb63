import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';
import { callOptions, makeClient } from '../support/client.ts';
import { portOf } from '../support/tls-service.ts';
import { startStandIn } from '../support/workplace.ts';

const company = { name: 'Muster GmbH', address: { country_code: 'DE', state: null } };

test('creates a company, a document and a limit in the documented form', async () => {
  const standIn = await startStandIn();
  const client = makeClient(standIn.url());
  const dir = await mkdtemp(join(tmpdir(), 'limitline-client-'));
  onTestFinished(() => rm(dir, { recursive: true }));
  await writeFile(join(dir, 'a.pdf'), '%PDF-1.4 small');
  const buyer = await client.createCompany(company, callOptions());
  const document = await client.uploadDocument(
    { path: join(dir, 'a.pdf'), sizeBytes: 14, name: 'a.pdf', mediaType: 'application/pdf' },
    callOptions(),
  );
  if (buyer.is !== 'made' || document.is !== 'made') throw new Error('neither was made');
  const limit = await client.requestLimit(
    { company: buyer.id, requested_limit: 1000.5, supporting_documents: [document.id] },
    callOptions(),
  );
  expect(limit).toMatchObject({ is: 'made', record: { status: 'approved', total_limit: '1000.5' } });
  expect(standIn.counts().made).toEqual({ company: 1, document: 1, limit: 1 });
});

test.each(['/', '/gateway', '/gateway/'])('the paths of calls follow a base address with the path %s', async (path) => {
  const asked: (string | undefined)[] = [];
  const url = await listen((data, answer) => {
    asked.push(/^POST (\S+) /.exec(data)?.[1]);
    answer(data.includes('/auth/token') ? '{"access_token":"t"}' : '{"id":"company_1"}');
  });
  const client = makeClient(`${url}${path}`);
  expect(await client.createCompany(company, callOptions())).toMatchObject({ is: 'made' });
  const base = path.replace(/\/$/, '');
  expect(asked.filter(Boolean)).toEqual([`${base}${SERVICE_PATHS.token}`, `${base}${SERVICE_PATHS.company}`]);
});

test('sends an idempotency key when a header for it is configured', async () => {
  const heard: string[] = [];
  const url = await listen((data, answer) => {
    heard.push(data);
    answer(data.includes('/auth/token') ? '{"access_token":"t"}' : '{"id":"company_1"}');
  });
  const client = makeClient(url, { idempotencyHeader: 'idempotency-key' });
  await client.createCompany(company, callOptions());
  expect(heard.at(-1)).toMatch(/^idempotency-key: key-1\r$/im);
});

// Gateways write characters in JSON as escapes: PHP the slash, .NET the plus sign.
// Promise: token-taken-out-of-answers
test.each([
  ['as it is', (text: string) => text],
  ['with an escaped slash', (text: string) => text.replaceAll('/', '\\/')],
  ['with an escaped plus sign', (text: string) => text.replaceAll('+', '\\u002B')],
  ['as in an address', (text: string) => text.replaceAll('+', '%2b').replaceAll('/', '%2F').replaceAll('=', '%3D')],
])('takes the token out of an answer that repeats it %s, so that it is not stored', async (_how, written) => {
  const token = 'a-token/of+the.service==';
  const url = await listen((data, answer) => {
    const sent = /^authorization: (.*)\r$/im.exec(data)?.[1] ?? '';
    const said = written(JSON.stringify({ id: 'company_1', header: sent, other: 'a-token/of+the.server' }));
    answer(data.includes('/auth/token') ? JSON.stringify({ access_token: token }) : said);
  });
  const answered = await makeClient(url).createCompany(company, callOptions());
  const besides = expect.stringMatching(/^\{"header":"Bearer \[token\]","other":"a-token.+of.+the\.server"\}$/);
  expect(answered).toMatchObject({ is: 'made', record: { besides } });
});

// answer-meaning.test.ts has the meaning of complete answers; this part needs a connection.
describe('the outcome of a call', () => {
  test.each<[string, FaultChange['rules'], string, number]>([
    ['reset before it was made', [{ on: 'company', fault: 'reset', made: false }], 'unknown', 0],
    ['reset after it was made', [{ on: 'company', fault: 'reset', made: true }], 'unknown', 1],
    ['connection closed in good form', [{ on: 'company', fault: 'reset', by: 'fin', made: true }], 'unknown', 1],
    ['500 after it was made', [{ on: 'company', fault: 'status', status: 500, made: true }], 'unknown', 1],
    ['504 in SERVICE_NOT_MADE', [{ on: 'company', fault: 'status', status: 504 }], 'throttled', 0],
    ['no answer', [{ on: 'company', fault: 'silence', made: true }], 'unknown', 1],
    ['a body that stops', [{ on: 'company', fault: 'slow', bytesPerS: 0 }], 'unknown', 1],
    ['a body that is cut', [{ on: 'company', fault: 'broken', body: 'cut' }], 'unknown', 1],
    ['an answer that is not HTTP', [{ on: 'company', fault: 'not-http', made: true }], 'unknown', 1],
  ])('is right for this fault: %s', async (_name, rules, meaning, made) => {
    const standIn = await startStandIn({ rules });
    // The timeout of answered calls is long enough for a busy machine.
    const isGivenUp = meaning === 'unknown' && rules?.some(({ fault }) => fault === 'silence' || fault === 'slow');
    const client = makeClient(standIn.url(), { timeoutMs: isGivenUp ? 1_000 : 60_000, notMade: [504] });
    expect(await client.createCompany(company, callOptions())).toMatchObject({ is: meaning });
    expect(standIn.counts().made.company).toBe(made);
  });

  test('is unreachable when nothing listens', async () => {
    const standIn = await startStandIn();
    const shared = { tokenKey: `token-${Math.random()}` };
    await makeClient(standIn.url(), shared).authorize(() => {});
    await standIn.setFaults({ outage: { how: 'refuse' } });
    const client = makeClient(standIn.url(), shared);
    expect(await client.createCompany(company, callOptions())).toMatchObject({ is: 'unreachable' });
  });
});

describe('token', () => {
  test('is fetched once by all clients that share it', async () => {
    const standIn = await startStandIn({ latencyMs: 20 });
    const shared = { tokenKey: `token-${Math.random()}` };
    const clients = Array.from({ length: 5 }, () => makeClient(standIn.url(), shared));
    await Promise.all(clients.flatMap((client) => [1, 2, 3].map(() => client.createCompany(company, callOptions()))));
    expect(standIn.counts().requests.token).toEqual({ 200: 1 });
  });

  test('is renewed once when it expires early, however many calls get a 401', async () => {
    const standIn = await startStandIn({ tokens: { diesAfterCalls: 3 }, latencyMs: 5 });
    const client = makeClient(standIn.url());
    const calls = callOptions();
    for (let n = 0; n < 3; n += 1) await client.createCompany(company, calls);
    await standIn.setFaults({ tokens: {} });
    const send = () => Promise.all(Array.from({ length: 8 }, () => client.createCompany(company, calls)));
    const refused = await send();
    expect(refused.map(({ is: meaning }) => meaning)).toEqual(Array(8).fill('unauthorized'));
    await Promise.all(refused.map(({ token }) => client.renewToken(token, calls.onTokenCall)));
    expect((await send()).map(({ is: meaning }) => meaning)).toEqual(Array(8).fill('made'));
    expect(standIn.counts().requests.token).toEqual({ 200: 2 });
    expect(calls.tokenCalls).toBe(2);
  });

  test('is fetched on request, and the old token stays in use when that fails', async () => {
    const standIn = await startStandIn();
    const client = makeClient(standIn.url());
    const calls = callOptions();
    const { token } = await client.createCompany(company, calls);
    await client.tryToken(calls.onTokenCall);
    const renewed = await client.createCompany(company, calls);
    expect(renewed.token).not.toBe(token);
    expect(calls.tokenCalls).toBe(2);
    await standIn.setFaults({ rules: [{ on: 'token', fault: 'status', status: 502 }] });
    await expect(client.tryToken(calls.onTokenCall)).rejects.toMatchObject({ code: 'SERVICE' });
    expect(await client.createCompany(company, calls)).toMatchObject({ is: 'made', token: renewed.token });
  });

  test('is refused for wrong credentials with a fault that names the settings', async () => {
    const client = makeClient((await startStandIn()).url(), { clientSecret: 'wrong' });
    await expect(client.authorize(() => {})).rejects.toThrow(/SERVICE_CLIENT_SECRET/);
  });

  test('that was granted once makes later 404 answers an outage, in each process and after the token expired', async () => {
    const standIn = await startStandIn({ rules: [{ on: 'token', fault: 'status', status: 404 }] });
    const shared = { tokenKey: `token-${Math.random()}` };
    const authorize = () => makeClient(standIn.url(), shared).authorize(() => {});
    await expect(authorize()).rejects.toMatchObject({ code: 'CREDENTIALS' });
    await standIn.setFaults({ rules: [], tokens: { lifetimeS: 1 } });
    await authorize();
    await standIn.setFaults({ rules: [{ on: 'token', fault: 'status', status: 404 }] });
    await expect.poll(() => authorize().catch(({ code }) => code)).toBe('SERVICE');
  });

  test('is read from the field that the settings name', async () => {
    const standIn = await startStandIn({ tokens: { field: 'jwt', lifetimeS: null } });
    await expect(makeClient(standIn.url()).authorize(() => {})).rejects.toThrow(/SERVICE_TOKEN_FIELD/);
    await makeClient(standIn.url(), { tokenField: 'jwt' }).authorize(() => {});
  });

  test('is renewed before it expires', async () => {
    const refusals = async () => {
      const standIn = await startStandIn({ tokens: { lifetimeS: 1 } });
      const client = makeClient(standIn.url());
      const renewed = async () => {
        await client.createCompany(company, callOptions());
        return standIn.counts().requests.token[200];
      };
      await expect.poll(renewed).toBeGreaterThan(2);
      return standIn.counts().requests.company[401] ?? 0;
    };
    // A fifth of a second is left of each token. A busy machine may need several tries.
    await expect.poll(refusals).toBe(0);
  });
});

test('an answer that begins with 100 Continue is an unknown outcome with that reason', async () => {
  const url = await listen((data, answer) => {
    if (data.includes('/auth/token')) answer('{"access_token":"t"}');
    else answer('{"id":"company_1"}', 'HTTP/1.1 100 Continue\r\n\r\n');
  });
  const answer = await makeClient(url).createCompany(company, callOptions());
  expect(answer).toMatchObject({ is: 'unknown', brief: expect.stringContaining('100 Continue') });
});

test('a call in flight when the client is closed has an unknown outcome', async () => {
  const standIn = await startStandIn({ rules: [{ on: 'company', fault: 'silence', made: true }] });
  const client = makeClient(standIn.url());
  const answer = client.createCompany(company, callOptions());
  await expect.poll(() => standIn.counts().made.company).toBe(1);
  await client.close();
  expect(await answer).toMatchObject({ is: 'unknown' });
});

/** A server that treats each chunk as a request and answers it with the given JSON, and with a given text before it. */
async function listen(
  respond: (data: string, answer: (json: string, before?: string) => void) => void,
): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      respond(data.toString(), (json, before = '') =>
        socket.write(
          `${before}HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
        ),
      );
    });
    onTestFinished(() => void socket.destroy());
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}
