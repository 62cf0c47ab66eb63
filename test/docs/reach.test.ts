import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { lookAt } from '../../src/console/server/guard.ts';
import { readReach } from '../../src/console/server/reach.ts';

const PAGE = readFileSync(new URL('../../docs/reach.md', import.meta.url), 'utf8');
const NGINX = /^```nginx\n([\s\S]*?)^```/m.exec(PAGE)?.[1] ?? '';

/** How the console sees a request that nginx passes on with this configuration, for this public address. */
function passedOn(address: string, block: string) {
  const { host, hostname } = new URL(address);
  const words: Record<string, string> = {
    $http_host: host,
    $host: hostname,
    $remote_addr: '203.0.113.9',
    $scheme: 'https',
    '""': '',
  };
  const headers = Object.fromEntries(
    [...block.matchAll(/proxy_set_header (\S+) (\S+);/g)].map(([, name = '', word = '']) => [
      name.toLowerCase(),
      words[word] ?? `not known here: ${word}`,
    ]),
  );
  const env = { LIMITLINE_DATA: '/data', CONSOLE_URL: address, CONSOLE_TRUST_PROXY: 'loopback' };
  const reach = readReach(readSettings({ env, cwd: '/' }));
  return lookAt({ method: 'GET', url: '/', headers, from: '127.0.0.1', port: 3000, reach });
}

// Promise: asker-behind-proxy
test.each(['https://limitline.example.com', 'https://limitline.example.com:8443'])(
  'a request through the example for nginx is accepted at %s, with the address of the visitor',
  (address) => {
    expect(passedOn(address, NGINX)).toMatchObject({ address: '203.0.113.9', origin: address });
  },
);

test('without the port in the Host header, the console answers 421', () => {
  const without = NGINX.replace('$http_host', '$host');
  expect(passedOn('https://limitline.example.com:8443', without)).toMatchObject({ status: 421 });
});
