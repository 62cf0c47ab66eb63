import { expect, test } from 'vitest';
import { readSettings } from '../../../src/config.ts';
import { checkUsers, readReach, signInNeeded } from '../../../src/console/server/reach.ts';

const settings = (env: Record<string, string>) =>
  readSettings({ env: { LIMITLINE_DATA: '/nowhere', ...env }, cwd: '/' });
const read = (env: Record<string, string>) => readReach(settings(env));
const faultsOf = (env: Record<string, string>): string => {
  try {
    read(env);
    return 'none';
  } catch (error) {
    expect(error).toMatchObject({ code: 'SETTINGS' });
    return (error as Error).message;
  }
};

const URL_GIVEN = { CONSOLE_URL: 'https://console.example.com' };
const FILES_GIVEN = { CONSOLE_TLS_CERT_FILE: '/tls/cert.pem', CONSOLE_TLS_KEY_FILE: '/tls/key.pem' };
const PROXY_GIVEN = { CONSOLE_TRUST_PROXY: '10.0.0.0/8, loopback' };
const OIDC_GIVEN = {
  CONSOLE_OIDC_ISSUER: 'https://login.example.com',
  CONSOLE_OIDC_CLIENT_ID: 'limitline',
  CONSOLE_OIDC_ROLES: 'finance=finance',
};

test('without settings the console is reachable from this machine only, and nobody signs in', () => {
  expect(read({})).toEqual({
    host: '127.0.0.1',
    home: undefined,
    certificate: undefined,
    isProxy: undefined,
    signIn: false,
  });
});

test('beyond loopback all missing settings are reported together', () => {
  const faults = faultsOf({ CONSOLE_HOST: '0.0.0.0' });
  for (const words of [
    'CONSOLE_HOST is "0.0.0.0", which other machines can reach.',
    'CONSOLE_TLS_CERT_FILE and CONSOLE_TLS_KEY_FILE, or a proxy in front that CONSOLE_TRUST_PROXY names.',
    'CONSOLE_URL is needed: the https:// address',
    'limitline user add NAME --roles admin',
    'CONSOLE_OIDC_ISSUER',
    'leave it at 127.0.0.1',
  ]) {
    expect(faults).toContain(words);
  }
});

test.each<[string, Record<string, string>, RegExp, RegExp]>([
  ['the public address', FILES_GIVEN, /CONSOLE_URL is needed/, /needs HTTPS/],
  ['HTTPS', URL_GIVEN, /needs HTTPS/, /CONSOLE_URL is needed/],
  ['the public address, behind a proxy', PROXY_GIVEN, /CONSOLE_URL is needed/, /needs HTTPS/],
  ['a key', { ...URL_GIVEN, CONSOLE_TLS_CERT_FILE: '/c' }, /CONSOLE_TLS_KEY_FILE is needed too/, /needs HTTPS/],
  ['a certificate', { ...URL_GIVEN, CONSOLE_TLS_KEY_FILE: '/c' }, /CONSOLE_TLS_CERT_FILE is needed too/, /needs HTTPS/],
  ['users, with an identity provider', { ...OIDC_GIVEN }, /CONSOLE_URL is needed/, /user add/],
])('listening beyond loopback is refused without %s', (_what, env, missing, there) => {
  const faults = faultsOf({ ...env, CONSOLE_HOST: '192.168.1.7' });
  expect(faults).toMatch(missing);
  expect(faults).not.toMatch(there);
  expect(faults.match(/CONSOLE_URL is needed/g)?.length ?? 1).toBe(1);
});

test.each<[string, Record<string, string>]>([
  ['with a certificate', FILES_GIVEN],
  ['behind a proxy', PROXY_GIVEN],
])('beyond loopback %s and with CONSOLE_URL, the settings are accepted, and sign-in is needed', (_how, env) => {
  for (const host of ['0.0.0.0', '::', 'console.example.com']) {
    expect(read({ ...URL_GIVEN, ...env, CONSOLE_HOST: host })).toMatchObject({ host, signIn: true });
  }
});

test.each<[string, Record<string, string>, RegExp | 'none']>([
  ['https on this machine', FILES_GIVEN, 'none'],
  ['the far end of a tunnel', { CONSOLE_URL: 'http://localhost:8080' }, 'none'],
  ['another name by http', { CONSOLE_URL: 'http://console.example.com' }, /must begin with https/],
  ['an https address without a certificate', URL_GIVEN, /CONSOLE_TLS_CERT_FILE .* needed/],
  ['http beside a certificate', { ...FILES_GIVEN, CONSOLE_URL: 'http://localhost:3000' }, /must begin with https/],
  ['http behind a proxy', { ...PROXY_GIVEN, CONSOLE_URL: 'http://localhost:3000' }, /must begin with https/],
  ['an address with a path', { ...FILES_GIVEN, CONSOLE_URL: 'https://example.com/limitline' }, /below a path/],
  ['an identity provider', OIDC_GIVEN, 'none'],
  [
    'an identity provider by http',
    { ...OIDC_GIVEN, CONSOLE_OIDC_ISSUER: 'http://login.example.com' },
    /OIDC_ISSUER .* https/,
  ],
  ['an identity provider on this machine', { ...OIDC_GIVEN, CONSOLE_OIDC_ISSUER: 'http://127.0.0.1:9' }, 'none'],
  [
    'an identity provider without a client',
    { CONSOLE_OIDC_ISSUER: 'https://login.example.com' },
    /CLIENT_ID is needed.*OIDC_ROLES is needed/,
  ],
  ['roles without an identity provider', { CONSOLE_OIDC_ROLES: 'a=viewer' }, /CONSOLE_OIDC_ISSUER is needed/],
  [
    'an identity provider without the scope openid',
    { ...OIDC_GIVEN, CONSOLE_OIDC_SCOPES: 'profile' },
    /SCOPES must have openid/,
  ],
])('the settings for %s are accepted or refused with a reason', (_what, env, faults) => {
  if (faults === 'none') expect(faultsOf(env)).toBe('none');
  else expect(faultsOf(env)).toMatch(faults);
});

test.each<[Record<string, string>, boolean]>([
  [{}, false],
  [FILES_GIVEN, false],
  [PROXY_GIVEN, true],
  [OIDC_GIVEN, true],
  [{ CONSOLE_HOST: '0.0.0.0' }, true],
  [{ CONSOLE_HOST: 'localhost' }, false],
])('signInNeeded() is true beyond loopback, behind a proxy and with an identity provider: %j', (env, needed) => {
  expect(signInNeeded(settings(env))).toBe(needed);
});

test.each<[boolean, boolean, boolean, boolean]>([
  // sign-in needed, identity provider, users; starts
  [false, false, false, true],
  [true, true, false, true],
  [true, false, true, true],
  [true, false, false, false],
])(
  'checkUsers() with sign-in needed: %s, an identity provider: %s, users: %s; starts: %s',
  async (signIn, hasOidc, users, starts) => {
    const checked = checkUsers({ signIn }, { hasOidc, hasUsers: async () => users });
    if (starts) await expect(checked).resolves.toBeUndefined();
    else
      await expect(checked).rejects.toMatchObject({
        code: 'SETTINGS',
        message: expect.stringContaining('limitline user add'),
      });
  },
);
