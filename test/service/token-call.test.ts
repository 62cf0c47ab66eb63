import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { makeOutlet } from '../../src/service/outlet.ts';
import { makeTokenCall } from '../../src/service/token-call.ts';

const DAY_MS = 86_400_000;
/** What the settings say for an answer that states no life. */
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
])('expires_in %s', async (expiresIn, lifetimeMs) => {
  const url = await listen(`{"access_token":"t","expires_in":${expiresIn}}`);
  const outlet = makeOutlet({ origin: url, connections: 1, proxy: undefined });
  onTestFinished(() => outlet.close());
  const fetchToken = makeTokenCall({
    url,
    outlet,
    basePath: '',
    clientId: 'id',
    clientSecret: 'secret',
    tokenField: 'access_token',
    tokenLifetimeMs: DEFAULT_MS,
    timeoutMs: 5_000,
  });
  expect(await fetchToken()).toEqual({ value: 't', lifetimeMs });
});

/** A token endpoint with one answer to everything. */
async function listen(json: string): Promise<string> {
  const server = createServer((request, answer) => void request.resume().once('end', () => answer.end(json)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
