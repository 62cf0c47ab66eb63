import { EnvHttpProxyAgent, Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { messageOf } from '../src/errors.ts';
import { chooseProxy, type ProxySettings } from '../src/proxy.ts';

const HTTP = 'http://plain.proxy:3128';
const HTTPS = 'http://tls.proxy:3128';
const both = { HTTP_PROXY: HTTP, HTTPS_PROXY: HTTPS };

const CASES: [url: string, settings: ProxySettings, through: string | undefined][] = [
  ['https://api.example.com', {}, undefined],
  ['https://api.example.com', both, HTTPS],
  ['http://api.example.com', both, HTTP],
  ['https://api.example.com', { HTTP_PROXY: HTTP }, HTTP],
  ['http://api.example.com', { HTTPS_PROXY: HTTPS }, undefined],
  ['http://127.0.0.1:8080', both, HTTP],
  ['http://localhost:8080', both, HTTP],
  ...(
    [
      ['*', false],
      ['api.example.com', false],
      ['API.Example.com.', false],
      ['example.com', false],
      ['.example.com', false],
      ['*.example.com', false],
      ['ample.com', true],
      ['*.api.example.com', true],
      ['.api.example.com', false],
      ['other.com,api.example.com', false],
      ['other.com  api.example.com', false],
      ['api.example.com:443', false],
      ['api.example.com:8443', true],
      ['*:443', false],
      ['*:80', true],
      ['', true],
      [' , ', true],
    ] as const
  ).map(([NO_PROXY, uses]): (typeof CASES)[number] => [
    'https://api.example.com',
    { ...both, NO_PROXY },
    uses ? HTTPS : undefined,
  ]),
  ['https://api.example.com.', { ...both, NO_PROXY: 'api.example.com' }, undefined],
  ['https://api.example.com:8443/base', { ...both, NO_PROXY: 'api.example.com:8443' }, undefined],
  ['https://example.com', { ...both, NO_PROXY: '*.example.com' }, HTTPS],
  ['http://127.0.0.1:8080', { ...both, NO_PROXY: 'localhost,127.0.0.1' }, undefined],
  ['http://[::1]:8080', { ...both, NO_PROXY: '::1' }, undefined],
  ['http://[::1]:8080', { ...both, NO_PROXY: '[::1]' }, undefined],
  ['http://[::1]:8080', { ...both, NO_PROXY: '[::1]:8080' }, undefined],
  ['http://[::1]:8080', { ...both, NO_PROXY: '[::1]:80' }, HTTP],
];

test.each(CASES)('%s with %j goes through %s', (url, settings, through) => {
  expect(chooseProxy(url, settings)?.where).toBe(through);
});

// Promise: proxy-of-environment
test.each(CASES)('undici uses the same proxy: %s with %j goes through %s', async (url, settings, through) => {
  expect(await wayOfUndici(url, settings)).toBe(through);
});

test.each([
  ['proxy.example:3128', 'http://proxy.example:3128', undefined],
  ['https://proxy.example', 'https://proxy.example', undefined],
  ['http://proxy.example:3128/', 'http://proxy.example:3128', undefined],
  ['http://anna:geheim@proxy.example:3128', 'http://proxy.example:3128', 'anna:geheim'],
  ['http://anna@proxy.example', 'http://proxy.example', 'anna:'],
  ['http://an%40na:p%3Aw%2F%C3%BC@proxy.example', 'http://proxy.example', 'an@na:p:w/ü'],
  ['http://anna:100%@proxy.example', 'http://proxy.example', 'anna:100%'],
])('%s is read as the proxy %s with the user %s', (HTTP_PROXY, where, user) => {
  const proxy = chooseProxy('http://api.example.com', { HTTP_PROXY });
  expect(proxy).toMatchObject({ where, setting: 'HTTP_PROXY' });
  expect(proxy?.url.href).toBe(`${where}/`);
  expect(proxy?.authorization).toBe(user && `Basic ${Buffer.from(user).toString('base64')}`);
});

test.each(['socks5://anna:geheim@proxy', 'http://anna:ge/heim@proxy', 'anna:geheim', 'http://'])(
  '%s is refused as a proxy, and the message does not repeat it',
  (HTTPS_PROXY) => {
    const choose = () => chooseProxy('https://api.example.com', { HTTPS_PROXY });
    expect(choose).toThrow(/HTTPS_PROXY/);
    expect(choose).not.toThrow(/geheim/);
  },
);

/** The proxy that undici's agent would use, by the address to which it connects first. */
async function wayOfUndici(url: string, settings: ProxySettings): Promise<string | undefined> {
  const { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy = '' } = settings;
  let first: string | undefined;
  const note = (origin: string | URL): never => {
    first ??= new URL(origin).origin;
    throw new Error('far enough');
  };
  const agent = new EnvHttpProxyAgent({
    httpProxy: httpProxy ?? '',
    httpsProxy: httpsProxy ?? '',
    noProxy,
    // The pool to the proxy, through which undici asks for tunnels.
    clientFactory: (proxy) => Object.assign(new Pool(proxy.origin), { connect: async () => note(proxy) }),
    // A pool with its own way to connect is one that asks for a tunnel.
    factory: (origin: string | URL, { connect, ...options }: Pool.Options) =>
      typeof connect === 'function' && new URL(origin).protocol === 'https:'
        ? new Pool(origin, { connect, ...options })
        : note(origin),
  });
  onTestFinished(() => agent.destroy());
  await agent.request({ origin: new URL(url).origin, path: '/', method: 'POST' }).catch(() => {});
  return first === new URL(url).origin ? undefined : first;
}

test('an error about an impossible proxy address is logged with its full remedy', () => {
  expect.assertions(1);
  try {
    chooseProxy('http://service.example', { HTTP_PROXY: 'ftp://proxy' });
  } catch (error) {
    expect(messageOf(error)).toBe((error as Error).message);
  }
});
