import { expect, test } from 'vitest';
import { inTheClear } from '../../../scripts/console/open-console.ts';

const OUTSIDE = { CONSOLE_HOST: '0.0.0.0', CONSOLE_TRUST_PROXY: [], CONSOLE_OIDC_ISSUER: undefined };
const REDIS =
  /^Redis' password, sessions and rows cross the network unencrypted between here and .*; use rediss:\/\/\.$/;
const SERVICE = /^The service's credentials and rows .* between here and http:\/\/[^/@]+; use https:\/\/\.$/;

// Promise: warns-of-unencrypted-paths
test.each([
  ['redis://:hidden@10.0.0.5', undefined, [REDIS]],
  ['redis://redis:6379', 'https://service.example', [REDIS]],
  ['redis+sentinel://:hidden@s1,s2/main', undefined, [REDIS]],
  ['redis://127.0.0.1,redis://10.0.0.6', undefined, [REDIS]],
  ['rediss://10.0.0.5', undefined, []],
  ['redis://127.0.0.1:6380', 'http://localhost:4000', []],
  ['redis://[::1]:6380', 'http://[::1]:4000', []],
  [undefined, 'http://service.example/v1', [SERVICE]],
  ['redis://10.0.0.5', 'http://id:hidden@10.0.0.9:80', [REDIS, SERVICE]],
  [undefined, undefined, []],
])(
  'a console on the network with Redis at %s and the service at %s warns of unencrypted connections',
  (redis, service, said) => {
    const words = inTheClear({ ...OUTSIDE, REDIS_URL: redis, SERVICE_URL: service });
    expect(words).toEqual(said.map((one) => expect.stringMatching(one)));
    expect(words.join()).not.toContain('hidden');
  },
);

// Promise: warns-of-unencrypted-paths
test('the warning appears behind a proxy, and not when the console serves this machine only', () => {
  const urls = { REDIS_URL: 'redis://10.0.0.5', SERVICE_URL: undefined };
  const here = { ...OUTSIDE, CONSOLE_HOST: '127.0.0.1' };
  expect(inTheClear({ ...here, ...urls })).toEqual([]);
  expect(inTheClear({ ...here, ...urls, CONSOLE_TRUST_PROXY: ['10.0.0.1'] })).toEqual([expect.stringMatching(REDIS)]);
});
