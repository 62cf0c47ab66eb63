import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { noConnectionWords } from '../../src/no-connection.ts';
import { makeOutlet } from '../../src/service/outlet.ts';
import { makeTokenCall } from '../../src/service/token-call.ts';

const PAGE = '<!doctype html><html><body>Welcome</body></html>';
const tls = (file: string) => readFileSync(join(import.meta.dirname, '../support/tls', file));

/** Servers that may be behind a wrong address. */
const WRONG: Record<string, () => Server> = {
  'a web page': () => createHttpServer((request, answer) => request.resume().once('end', () => answer.end(PAGE))),
  TLS: () => createHttpsServer({ key: tls('service-key.pem'), cert: tls('service-certificate.pem') }),
  'another protocol': () => createTcpServer((socket) => socket.on('error', () => {}).end('SSH-2.0-OpenSSH_9.2\r\n')),
  nothing: () => createTcpServer(),
};

// Promises: gateway-page-waited-out, wrong-address-is-said
test.each<[string, string, string, RegExp]>([
  ['nothing', 'http://127.0.0.1', 'SERVICE', /nothing listens at that port \(ECONNREFUSED\)/],
  ['nothing', 'http://api.limitline.invalid', 'SERVICE', /there is no host of that name \(ENOTFOUND\)|looked up/],
  ['a web page', 'http://127.0.0.1', 'CREDENTIALS', /a web page \(status 200\)/],
  ['a web page', 'https://127.0.0.1', 'SERVICE', /does not speak TLS there/],
  ['TLS', 'http://127.0.0.1', 'SERVICE', /closed without an answer \(if it wants TLS, write https/],
  ['TLS', 'https://127.0.0.1', 'SERVICE', /certificate.*NODE_EXTRA_CA_CERTS/],
  ['another protocol', 'http://127.0.0.1', 'SERVICE', /does not speak HTTP/],
])('with %s at the address, the token call to %s reports that', async (what, host, code, words) => {
  const url = `${host}:${await listen(what)}`;
  const fault = await tokenCallTo(url)(false).catch((error) => error);
  expect(fault).toMatchObject({ code, message: expect.stringMatching(words) });
  expect(fault.message).toContain(`SERVICE_URL ${url}`);
  expect(fault.message).toMatch(/check that/);
});

test('after an earlier token, the fault only reports what is there, and does not suggest to check the address', async () => {
  const url = `http://127.0.0.1:${await listen('nothing')}`;
  const fault = await tokenCallTo(url)(true).catch((error) => error);
  expect(fault.message).toBe(`SERVICE_URL ${url}: nothing listens at that port (ECONNREFUSED)`);
});

test('the first address of a host gives the words, and an unknown error keeps its own', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED ::1:9'), { code: 'ECONNREFUSED' });
  expect(noConnectionWords(new AggregateError([refused, refused]))).toBe('nothing listens at that port (ECONNREFUSED)');
  expect(noConnectionWords(Object.assign(new Error('odd'), { code: 'EODD' }))).toBe('odd');
});

function tokenCallTo(url: string) {
  const outlet = makeOutlet({ origin: new URL(url).origin, connections: 1, proxy: undefined });
  onTestFinished(() => outlet.close());
  const credentials = { clientId: 'id', clientSecret: 'secret', tokenField: 'access_token' };
  return makeTokenCall({ url, outlet, basePath: '', ...credentials, tokenLifetimeMs: 1_000, timeoutMs: 5_000 });
}

/** Starts such a server and returns its port. */
async function listen(what: string): Promise<number> {
  const server = WRONG[what]?.() ?? createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  // An open connection ends when the outlet is closed.
  if (what === 'nothing') await new Promise((resolve) => server.close(resolve));
  else onTestFinished(() => void server.close());
  return port;
}
