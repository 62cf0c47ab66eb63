import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { makeOutlet } from '../../src/service/outlet.ts';
import { headersOf, makeTokenCall } from '../../src/service/token-call.ts';
import { portOf } from '../support/tls-service.ts';

const DAY_MS = 86_400_000;
/** The lifetime in the settings, for an answer without one. */
const DEFAULT_MS = 600_000;

test.each<[string, number]>([
  ['3600', 3_600_000],
  ['"3600"', 3_600_000],
  ['0.5', DEFAULT_MS],
  ['0', DEFAULT_MS],
  ['-1', DEFAULT_MS],
  ['null', DEFAULT_MS],
  ['true', DEFAULT_MS],
  ['[5]', DEFAULT_MS],
  ['"soon"', DEFAULT_MS],
  ['86400', DAY_MS],
  ['86401', DAY_MS],
  ['1795000000000', DAY_MS],
  ['9007199254740993', DAY_MS],
  ['1e308', DAY_MS],
  ['1e999', DAY_MS],
  ['"Infinity"', DAY_MS],
])('expires_in %s is read as the right lifetime', async (expiresIn, lifetimeMs) => {
  const fetchToken = await openTokenCall(`{"access_token":"t","expires_in":${expiresIn}}`);
  expect(await fetchToken(false)).toEqual({ value: 't', lifetimeMs });
});

test.each(['"a\\nb"', '"a\\u0000"', '"tök€n"', '""', '42', 'null'])(
  'the token %s, which no header can carry, is a fault of the settings',
  async (token) => {
    const fetchToken = await openTokenCall(`{"access_token":${token}}`);
    const message = expect.stringContaining('holds nothing that an HTTP header can carry; set SERVICE_TOKEN_FIELD');
    await expect(fetchToken(true)).rejects.toMatchObject({ code: 'CREDENTIALS', message });
  },
);

const PAGE = '<html>Sorry, we are down for maintenance</html>';
const SETTINGS = { code: 'CREDENTIALS' };
const AWAY = { code: 'SERVICE' };

test.each<[number, string, { first: object; later: object }]>([
  [200, PAGE, { first: { ...SETTINGS, message: expect.stringContaining('SERVICE_URL') }, later: AWAY }],
  [404, PAGE, { first: { ...SETTINGS, message: expect.stringContaining('SERVICE_URL') }, later: AWAY }],
  [302, '', { first: SETTINGS, later: AWAY }],
  [418, '{}', { first: SETTINGS, later: AWAY }],
  [400, PAGE, { first: SETTINGS, later: SETTINGS }],
  [401, '{}', { first: SETTINGS, later: SETTINGS }],
  [403, PAGE, { first: SETTINGS, later: SETTINGS }],
  [200, '{"jwt":"t"}', { first: SETTINGS, later: { ...SETTINGS, message: expect.stringContaining('jwt') } }],
  [408, '', { first: AWAY, later: AWAY }],
  [429, '', { first: AWAY, later: AWAY }],
  [503, PAGE, { first: AWAY, later: AWAY }],
])(
  'without a token, status %i with %j is a fault of the settings or an outage',
  async (status, body, { first, later }) => {
    const fetchToken = await openTokenCall(body, status);
    await expect(fetchToken(false)).rejects.toMatchObject(first);
    await expect(fetchToken(true)).rejects.toMatchObject(later);
    // The headers with the requested wait are part of each fault.
    expect(headersOf(await fetchToken(true).catch((error) => error))).toMatchObject({ 'retry-after': '7' });
  },
);

async function openTokenCall(body: string, status = 200) {
  const url = await listen(body, status);
  const outlet = makeOutlet({ origin: url, connections: 1, proxy: undefined });
  onTestFinished(() => outlet.close());
  return makeTokenCall({
    url,
    outlet,
    basePath: '',
    clientId: 'id',
    clientSecret: 'secret',
    tokenField: 'access_token',
    tokenLifetimeMs: DEFAULT_MS,
    timeoutMs: 5_000,
  });
}

/** A token endpoint with one answer to everything. */
async function listen(body: string, status: number): Promise<string> {
  const server = createServer((request, answer) => {
    request.resume().once('end', () => answer.writeHead(status, { 'retry-after': '7' }).end(body));
  });
  return `http://127.0.0.1:${await portOf(server)}`;
}
