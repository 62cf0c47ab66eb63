import { describe, expect, test } from 'vitest';
import { differingSettings, readSettings } from '../../src/config.ts';
import { readMailAddress, readSmtpUrl } from '../../src/notices/mail/mail-settings.ts';
import { waysGiven } from '../../src/notices/notice-settings.ts';

const read = (env: Record<string, string>) =>
  readSettings({ env: { LIMITLINE_DATA: '/nowhere', ...env }, cwd: '/nowhere' });

const MAIL = {
  NOTIFY_SMTP_URL: 'smtp://user:s3cr3t@mail.example:2525',
  NOTIFY_SMTP_FROM: 'Limitline <limits@example.com>',
  NOTIFY_SMTP_TO: 'ops@example.com, finance@example.com',
};
const WEBHOOK = { NOTIFY_WEBHOOK_URL: 'https://hooks.example/T00/s3cr3t?sig=s3cr3t', NOTIFY_WEBHOOK_FORM: 'teams' };

// Promise: webhook-address-stays-secret
test('the channels are listed by host, without secrets, also among the settings that Health shows', () => {
  expect(waysGiven(read({}))).toEqual([]);
  const settings = read({ ...MAIL, ...WEBHOOK });
  expect(waysGiven(settings)).toEqual([
    { name: 'webhook', where: 'hooks.example', how: 'as Teams reads it' },
    { name: 'mail', where: 'mail.example', how: 'to 2 addresses' },
  ]);
  const shown = differingSettings(settings);
  expect(shown).toContainEqual({ name: 'NOTIFY_WEBHOOK_URL', value: 'given' });
  expect(shown).toContainEqual({ name: 'NOTIFY_SMTP_URL', value: 'given' });
  expect(JSON.stringify(shown)).not.toContain('s3cr3t');
});

test('a webhook form without a webhook is reported as without effect', () => {
  expect(read({ NOTIFY_WEBHOOK_FORM: 'slack' }).notices).toEqual([
    'NOTIFY_WEBHOOK_FORM has no effect without NOTIFY_WEBHOOK_URL',
  ]);
  expect(read(WEBHOOK).notices).toEqual([]);
});

describe('faults of the settings', () => {
  // Promise: setting-faults-all-at-once
  test.each<[string, Record<string, string>, RegExp]>([
    ['no sender', { ...MAIL, NOTIFY_SMTP_FROM: '' }, /NOTIFY_SMTP_FROM and NOTIFY_SMTP_TO are needed too/],
    ['no addresses', { ...MAIL, NOTIFY_SMTP_TO: '' }, /NOTIFY_SMTP_FROM and NOTIFY_SMTP_TO are needed too/],
    ['no server', { ...MAIL, NOTIFY_SMTP_URL: '' }, /NOTIFY_SMTP_TO given without NOTIFY_SMTP_URL/],
    ['an invalid sender', { ...MAIL, NOTIFY_SMTP_FROM: 'Limitline' }, /NOTIFY_SMTP_FROM must be a mail address/],
    ['an invalid address', { ...MAIL, NOTIFY_SMTP_TO: 'a@example.com,b' }, /entry 2 of NOTIFY_SMTP_TO is not/],
    [
      'too many addresses',
      { ...MAIL, NOTIFY_SMTP_TO: 'a@b.example '.repeat(51) },
      /names 51 addresses, more than the 50 allowed/,
    ],
    [
      'options after the server',
      { ...MAIL, NOTIFY_SMTP_URL: 'smtp://u:s3cr3t@h?pool=true' },
      /NOTIFY_SMTP_URL must be smtp:/,
    ],
    ['another protocol', { ...MAIL, NOTIFY_SMTP_URL: 'https://u:s3cr3t@h' }, /NOTIFY_SMTP_URL must be smtp:/],
    ['no host', { ...MAIL, NOTIFY_SMTP_URL: 'smtp://' }, /NOTIFY_SMTP_URL must be smtp:\/\/host:port .*user:password@/],
    ['an invalid webhook', { NOTIFY_WEBHOOK_URL: 'hooks.example/s3cr3t' }, /NOTIFY_WEBHOOK_URL must be an address/],
    ['another form', { ...WEBHOOK, NOTIFY_WEBHOOK_FORM: 'discord' }, /must be slack, teams or json/],
    [
      'an invalid proxy',
      { ...WEBHOOK, HTTPS_PROXY: 'socks5://u:s3cr3t@p' },
      /HTTPS_PROXY must be the address of a proxy/,
    ],
    ['an unknown kind', { NOTIFY_ABOUT: 'settled, weather' }, /must be some of awaiting, settled/],
  ])('%s is a fault, whose message has no secret', (_what, env, fault) => {
    expect(() => read(env)).toThrow(fault);
    expect(() => read(env)).not.toThrow(/s3cr3t/);
  });

  test('are reported together', () => {
    expect(() => read({ ...MAIL, NOTIFY_SMTP_FROM: 'x', NOTIFY_SMTP_TO: 'y' })).toThrow(
      /NOTIFY_SMTP_FROM must.*; entry 1 of/,
    );
  });
});

// Which connections need TLS.
// Promise: mail-password-by-tls-only
test.each([
  ['smtp://mail.example', { host: 'mail.example', port: 587, secure: false, requireTLS: false, login: undefined }],
  ['smtp://u:p%40@mail.example:25', { port: 25, secure: false, requireTLS: true, login: { user: 'u', pass: 'p@' } }],
  ['smtps://u:p@mail.example', { port: 465, secure: true, requireTLS: false }],
  ['smtp://u:p@localhost/', { host: 'localhost', requireTLS: false }],
  ['smtp://u:p@[::1]:2525', { host: '::1', port: 2525, requireTLS: false }],
  ['smtp://mail.example/inbox', undefined],
  ['smtp://mail.example#x', undefined],
])('the address %s is parsed or refused', (text, server) => {
  if (server === undefined) expect(readSmtpUrl(text)).toBeUndefined();
  else expect(readSmtpUrl(text)).toMatchObject(server);
});

test.each([
  ['ops@example.com', { name: '', address: 'ops@example.com' }],
  [' Limitline <o.p+s@sub.example.com> ', { name: 'Limitline', address: 'o.p+s@sub.example.com' }],
  ['"Limits, nightly" <a@b>', { name: 'Limits, nightly', address: 'a@b' }],
  ['<a@b>', { name: '', address: 'a@b' }],
  ['a', undefined],
  ['a@', undefined],
  ['a b@example.com', undefined],
  ['a@example.com\r\nBcc: c@d', undefined],
  ['x <a@b> y', undefined],
  ['x\r\ny <a@b>', undefined],
  ['a@b>,<c@d', undefined],
  [`${'a'.repeat(65)}@b`, undefined],
])('%j is parsed as a mail address or refused', (text, address) => {
  expect(readMailAddress(text)).toEqual(address);
});
