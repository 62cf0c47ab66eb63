import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { SERVICE_PATHS } from '../../src/service/paths.ts';
import { documentBody, openStandIn, until } from '../support/service-caller.ts';

const kinds = ['company', 'document', 'limit'] as const;

test.each(kinds)('a %s must be JSON with a JSON content type', async (kind) => {
  const { standIn, caller } = await openStandIn();
  expect((await caller.post(kind, '{"name":')).status).toBeOneOf([400, 422]);
  expect((await caller.post(kind, '{}', { 'content-type': 'text/plain' })).status).toBe(415);
  expect((await caller.post(kind, 'a=b', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
  expect((await caller.post(kind, { name: 'A' }, { accept: 'text/html' })).status).toBe(406);
  expect(standIn.counts().made).toEqual({ company: 0, document: 0, limit: 0 });
});

test('a charset in the content type and further types in accept are allowed', async () => {
  const { caller } = await openStandIn();
  const headers = { 'content-type': 'application/json; charset=utf-8', accept: 'application/json, text/plain' };
  expect((await caller.post('company', { name: 'A' }, headers)).status).toBe(201);
});

test.each([
  ['GET', SERVICE_PATHS.company],
  ['PUT', SERVICE_PATHS.limit],
  ['POST', `${SERVICE_PATHS.limit}/bl_1`],
  ['POST', '/v1/companies'],
  ['GET', '/'],
])('%s %s is answered with 404 and counted as another request', async (method, path) => {
  const { standIn, caller } = await openStandIn();
  const { status, json } = await caller.send(path, { method });
  expect(status).toBe(404);
  expect(json().message).toContain(path);
  expect(standIn.counts().requests.other).toEqual({ 404: 1 });
});

test('requests are counted by kind and by answer, including refusals', async () => {
  const { standIn, caller } = await openStandIn();
  await caller.company();
  await caller.post('company', {});
  await caller.post('document', documentBody('a'));
  expect(standIn.counts().requests).toEqual({
    token: { 200: 1 },
    company: { 201: 1, 422: 1 },
    document: { 201: 1 },
    limit: {},
    other: {},
  });
  expect(standIn.maxPerSecond()).toBeLessThanOrEqual(3);
  expect(standIn.maxPerSecond()).toBeGreaterThan(0);
});

test('a client that disconnects in the middle of its document is counted as gone, and nothing is made', async () => {
  const { standIn, caller } = await openStandIn();
  const headers = await caller.headersOf();
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(standIn.url()).port) });
  socket.write(`POST ${SERVICE_PATHS.document} HTTP/1.1\r\nhost: a\r\ncontent-length: 10000\r\n`);
  for (const [name, value] of Object.entries(headers)) socket.write(`${name}: ${value}\r\n`);
  socket.write(`\r\n${JSON.stringify(documentBody('profit')).slice(0, -3)}`);
  await until(() => expect(standIn.maxInFlight()).toBe(1));
  socket.destroy();
  await until(() => expect(standIn.counts().requests.document).toEqual({ 'client gone': 1 }));
  expect(standIn.counts().made.document).toBe(0);
});
