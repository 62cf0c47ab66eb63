import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'limitline-config-'));
});
afterEach(() => rm(cwd, { recursive: true }));

const service = { SERVICE_URL: 'https://api.example', SERVICE_CLIENT_ID: 'id', SERVICE_CLIENT_SECRET: 's3cret' };

test('settings have default values', () => {
  expect(readSettings({ env: { XDG_DATA_HOME: cwd }, cwd })).toMatchObject({
    LIMITLINE_DATA: join(cwd, 'limitline'),
    dataFolderBy: 'user',
    notices: [],
    LIMITLINE_PREFIX: 'limitline',
    SERVICE_TOKEN_FIELD: 'access_token',
    SERVICE_TOKEN_LIFETIME_S: 600,
    SERVICE_CONCURRENCY: 32,
    SERVICE_TIMEOUT_MS: 30_000,
    ON_UNKNOWN_COMPANY: 'hold',
    ON_UNKNOWN_DOCUMENT: 'resend',
    ON_UNKNOWN_LIMIT: 'hold',
    SERVICE_ANSWER_CHECK: 'hold',
    CANARY_REFUSALS: 10,
    MAX_DOCUMENT_MB: 20,
    CONSOLE_PORT: 3_000,
    QUEUE_BOARD: 'off',
    LOG_LEVEL: 'info',
  });
});

test.each([
  ['REDIS_URL', 'rediss://user:pass@redis.example:6380/2', 'rediss://user:pass@redis.example:6380/2'],
  ['REDIS_URL', 'redis://a:1,redis://b:2', 'redis://a:1,redis://b:2'],
  ['REDIS_REPLICAS', '0', 0],
  ['SERVICE_RATE_PER_S', '0.5', 0.5],
  ['ADVISE_STATEMENTS_ABOVE', 'EUR=700000, GBP=600000', { EUR: 700_000, GBP: 600_000 }],
  ['REQUIRED_COLUMNS', 'website, city', ['website', 'city']],
  ['REQUIRED_COLUMNS', 'country code , Kunden Nr,', ['country code', 'Kunden Nr']],
  ['SERVICE_NOT_MADE', '502, 503', [502, 503]],
  ['SERVICE_NOT_MADE', '408', [408]],
  ['SERVICE_NOT_MADE', '', []],
  ['ON_UNKNOWN_LIMIT', 'resend', 'resend'],
  ['SERVICE_ANSWER_CHECK', 'warn', 'warn'],
  ['CANARY_REFUSALS', '0', 0],
  ['SERVICE_CONCURRENCY', ' 8 ', 8],
  ['LOG_LEVEL', '', 'info'],
  ['CONSOLE_PORT', 'tcp://10.0.0.1:80', 3_000],
  ['LIMITLINE_INBOX', '/srv/inbox', '/srv/inbox'],
  ['LIMITLINE_INBOX_MAPPING', 'bank', 'bank'],
])('%s=%s is read', (name, text, value) => {
  expect(readSettings({ env: { [name]: text }, cwd })).toMatchObject({ [name]: value });
});

test('LIMITLINE_INBOX must be an absolute path', () => {
  expect(() => readSettings({ env: { LIMITLINE_INBOX: 'inbox' }, cwd })).toThrow(
    /LIMITLINE_INBOX is "inbox", but must be a whole path/,
  );
});

// 401 concerns the token, other 4xx refuse one row, and the rest are not statuses.
test.each(['401', '400', '404', '600', '50', '5xx', '503;502', '-503'])('SERVICE_NOT_MADE=%s is refused', (text) => {
  expect(() => readSettings({ env: { SERVICE_NOT_MADE: text }, cwd })).toThrow(/SERVICE_NOT_MADE is .*500 to 599/);
});

test('SERVICE_IDEMPOTENCY_HEADER must not be a header with another meaning', () => {
  const read = (header: string) => readSettings({ env: { SERVICE_IDEMPOTENCY_HEADER: header }, cwd });
  for (const header of ['Idempotency-Key', 'X-Request-Id', 'Content-Digest']) {
    expect(read(header).SERVICE_IDEMPOTENCY_HEADER).toBe(header);
  }
  for (const header of ['Authorization', 'content-type', 'Host', 'Transfer-Encoding', 'Cookie', 'User-Agent']) {
    expect(() => read(header)).toThrow(`SERVICE_IDEMPOTENCY_HEADER is "${header}", but must not be a header`);
  }
});

test('the trailing slash of SERVICE_URL is dropped', () => {
  expect(readSettings({ env: { ...service, SERVICE_URL: 'https://api.example/v/' }, cwd }).SERVICE_URL).toBe(
    'https://api.example/v',
  );
});

test('the user and password in SERVICE_URL are dropped', () => {
  const read = (url: string) => readSettings({ env: { ...service, SERVICE_URL: url }, cwd }).SERVICE_URL;
  expect(read('https://anna:geheim@api.example/v')).toBe('https://api.example/v');
  expect(read('https://api.example/v/anna@b')).toBe('https://api.example/v/anna@b');
  expect(() => read('ftp://anna:geheim@api.example')).not.toThrow(/geheim/);
});

test.each(['https://api.example/v?key=geheim', 'https://api.example/#geheim', 'https://api.example?'])(
  'a SERVICE_URL with a query or a fragment (%s) is refused',
  (url) => {
    const read = () => readSettings({ env: { ...service, SERVICE_URL: url }, cwd });
    expect(read).toThrow(/SERVICE_URL .*must have no \? or #/);
    expect(read).not.toThrow(/geheim/);
  },
);

test('missing credentials are reported, and a credential whose file is unreadable is not called missing', () => {
  const read = (env: Record<string, string>) => () =>
    readSettings({ env: { SERVICE_URL: 'https://api.example', ...env }, cwd });
  expect(read({})).toThrow(/so SERVICE_CLIENT_ID .* and SERVICE_CLIENT_SECRET .* are needed too/);
  expect(read({ SERVICE_CLIENT_ID: 'id' })).toThrow(/so SERVICE_CLIENT_SECRET \(or SERVICE_CLIENT_SECRET_FILE\) is/);
  const unreadable = read({ SERVICE_CLIENT_ID: 'id', SERVICE_CLIENT_SECRET_FILE: join(cwd, 'missing') });
  expect(unreadable).toThrow(/SERVICE_CLIENT_SECRET_FILE/);
  expect(unreadable).not.toThrow(/needed too/);
});

// Promise: proxy-of-environment
test('proxy settings are read in both spellings, lower case first', () => {
  const env = { HTTP_PROXY: 'http://a', http_proxy: 'http://b', HTTPS_PROXY: 'http://c', no_proxy: 'd', NO_PROXY: '' };
  expect(readSettings({ env, cwd })).toMatchObject({
    HTTP_PROXY: 'http://b',
    HTTPS_PROXY: 'http://c',
    NO_PROXY: 'd',
  });
});

test('a .env file may begin with a byte order mark', async () => {
  await writeFile(join(cwd, '.env'), '\uFEFFSERVICE_CONCURRENCY=5\n');
  expect(readSettings({ env: {}, cwd }).SERVICE_CONCURRENCY).toBe(5);
});

// Promise: env-line-without-value
test.each([
  ['a colon', 'APPROVE_ABOVE: 100000\n'],
  ['a space', 'export APPROVE_ABOVE 100000\n'],
  ['a command of Windows before it', 'set APPROVE_ABOVE=100000\n'],
  ['a sign of a list before it', '- APPROVE_ABOVE=100000\n'],
  ['a character before it that cannot be seen', '\u200bAPPROVE_ABOVE=100000\n'],
  ['an unclosed quote before it', 'SERVICE_CLIENT_ID="abc\nAPPROVE_ABOVE=100000\nSERVICE_CLIENT_SECRET="s3cret"\n'],
  ['UTF-16', Buffer.from('\uFEFFAPPROVE_ABOVE=100000\n', 'utf16le')],
])('a setting in .env that nothing reads for %s is a fault', async (_why, content) => {
  await writeFile(join(cwd, '.env'), content);
  expect(() => readSettings({ env: {}, cwd })).toThrow(/\.env .*(APPROVE_ABOVE|UTF-16)/);
});

test('a comment in .env may name a setting', async () => {
  await writeFile(join(cwd, '.env'), '# APPROVE_ABOVE: 1\n export SERVICE_CONCURRENCY = 5\nAPPROVERS: anna\n');
  expect(readSettings({ env: {}, cwd }).SERVICE_CONCURRENCY).toBe(5);
});

test('a .env file is read, and the environment overrides it', async () => {
  await writeFile(join(cwd, '.env'), 'SERVICE_CONCURRENCY=5\nCONSOLE_PORT=4000\n');
  expect(readSettings({ env: { CONSOLE_PORT: '5000' }, cwd })).toMatchObject({
    SERVICE_CONCURRENCY: 5,
    CONSOLE_PORT: 5_000,
  });
});

test('secrets are read from mounted files', async () => {
  const path = join(cwd, 'secret');
  await writeFile(path, 'from-file\n');
  const env = { ...service, SERVICE_CLIENT_SECRET: '', SERVICE_CLIENT_SECRET_FILE: path };
  expect(readSettings({ env, cwd }).SERVICE_CLIENT_SECRET).toBe('from-file');
});

// Promise: figures-for-machine-or-token
test('METRICS_TOKEN is read from a mounted file, and a short one is refused without being repeated', async () => {
  const path = join(cwd, 'token');
  await writeFile(path, 'a-token-of-some-length\n');
  expect(readSettings({ env: { METRICS_TOKEN_FILE: path }, cwd }).METRICS_TOKEN).toBe('a-token-of-some-length');
  expect(() => readSettings({ env: { METRICS_TOKEN: 'hunter2' }, cwd })).toThrow(/METRICS_TOKEN must be 16 characters/);
  expect(() => readSettings({ env: { METRICS_TOKEN: 'hunter2' }, cwd })).not.toThrow(/hunter2/);
});

describe('REDIS_URL_FILE', () => {
  const address = 'rediss://user:hunter2@redis.example';
  const fileWith = async (content: string) => {
    await writeFile(join(cwd, 'redis-url'), content);
    return { REDIS_URL_FILE: join(cwd, 'redis-url') };
  };

  // Promise: secrets-in-files
  test('gives a mounted file with the address, whose line break is ignored', async () => {
    expect(readSettings({ env: await fileWith(`${address}\n`), cwd }).REDIS_URL).toBe(address);
  });

  test('is an error beside REDIS_URL, except that the environment overrides .env', async () => {
    const env = await fileWith(address);
    expect(() => readSettings({ env: { ...env, REDIS_URL: 'redis://b' }, cwd })).toThrow(
      /REDIS_URL and REDIS_URL_FILE are both given/,
    );
    await writeFile(join(cwd, '.env'), 'REDIS_URL=redis://b\n');
    expect(readSettings({ env, cwd }).REDIS_URL).toBe(address);
    await writeFile(join(cwd, '.env'), `REDIS_URL_FILE=${env.REDIS_URL_FILE}\n`);
    expect(readSettings({ env: { REDIS_URL: 'redis://b' }, cwd }).REDIS_URL).toBe('redis://b');
    expect(readSettings({ env: { REDIS_URL: '' }, cwd }).REDIS_URL).toBeUndefined();
  });

  test.each([
    ['is empty', '\n', /REDIS_URL_FILE names .*, which is empty/],
    ['has no address in it', 'http://user:hunter2@x', /REDIS_URL must begin with redis:/],
  ])('that %s is an error that does not repeat the content', async (_is, text, fault) => {
    const env = await fileWith(text);
    expect(() => readSettings({ env, cwd })).toThrow(fault);
    expect(() => readSettings({ env, cwd })).not.toThrow('hunter2');
    expect(() => readSettings({ env: { REDIS_URL_FILE: join(cwd, 'none') }, cwd })).toThrow(
      /REDIS_URL_FILE cannot be read/,
    );
  });
});

test('a setting of only spaces or commas is an error, and an empty one counts as not given', () => {
  expect(() => readSettings({ env: { INBOX_APPROVERS: ', ' }, cwd })).toThrow(/INBOX_APPROVERS has only commas/);
  expect(() => readSettings({ env: { APPROVE_ABOVE: ' ' }, cwd })).toThrow(/APPROVE_ABOVE has only spaces/);
  expect(readSettings({ env: { APPROVE_ABOVE: '' }, cwd }).APPROVE_ABOVE).toBeUndefined();
});

test('an amount whose point may separate thousands is an error', () => {
  const read = (amount: string) => readSettings({ env: { APPROVE_ABOVE: amount }, cwd }).APPROVE_ABOVE;
  expect(() => read('1.000')).toThrow(/which may separate thousands/);
  for (const clear of ['1000', '1.00', '1000.000', '1.0000']) expect(read(clear)).toBe(clear);
});

test('all faults are reported at once, without repeating secrets', () => {
  const env = {
    REDIS_URL: 'http://user:hunter2@x',
    SERVICE_URL: 'ftp://x',
    SERVICE_CONCURRENCY: '-1',
    SERVICE_RATE_PER_S: 'fast',
    ON_UNKNOWN_LIMIT: 'maybe',
    SERVICE_CLIENT_SECRET_FILE: join(cwd, 'missing'),
  };
  const read = () => readSettings({ env, cwd });
  for (const name of Object.keys(env)) expect(read).toThrow(name);
  expect(read).toThrow('SERVICE_CLIENT_ID');
  expect(read).not.toThrow('hunter2');
});

test('faults in a Redis address and in combinations of settings are reported with all others', () => {
  const env = {
    REDIS_URL: 'redis+sentinel://h',
    LOG_LEVEL: 'loud',
    EVENTS_PORT: '4400',
    NOTIFY_SMTP_FROM: 'a@b.example',
    SERVICE_URL: 'https://api.example',
    SERVICE_CLIENT_ID: 'me',
    SERVICE_CLIENT_SECRET: 'secret',
    SERVICE_ACCOUNT: 'stand-in',
  };
  const faults = [
    'REDIS_URL must end with /masterName',
    'LOG_LEVEL is "loud"',
    'EVENTS_PORT is given, so EVENTS_SECRET',
    'NOTIFY_SMTP_FROM given without NOTIFY_SMTP_URL',
    'SERVICE_ACCOUNT is "stand-in"',
  ];
  for (const fault of faults) expect(() => readSettings({ env, cwd })).toThrow(fault);
  // A faulty setting is not reported as missing too.
  const mail = () => readSettings({ env: { ...env, NOTIFY_SMTP_URL: 'x' }, cwd });
  expect(mail).toThrow('NOTIFY_SMTP_URL must be');
  expect(mail).not.toThrow('given without');
  const ports = () => readSettings({ env: { CONSOLE_PORT: 'x', METRICS_PORT: 'y', EVENTS_PORT: '3000' }, cwd });
  expect(ports).toThrow('EVENTS_PORT is given, so EVENTS_SECRET');
  expect(ports).not.toThrow('which is CONSOLE_PORT too');
});

test('LIMITLINE_DATA must be absolute in the environment, and may be relative to the file in .env', async () => {
  await writeFile(join(cwd, '.env'), 'LIMITLINE_DATA=./data\n');
  expect(readSettings({ env: {}, cwd }).LIMITLINE_DATA).toBe(join(cwd, 'data'));
  expect(() => readSettings({ env: { LIMITLINE_DATA: 'data' }, cwd })).toThrow(
    `LIMITLINE_DATA is "data", which is not a whole path and so names another folder in every working directory: give the whole path, such as ${cwd}/data`,
  );
});

test('LIMITLINE_KEEP_DAYS is a number of days without a default', () => {
  const daysOf = (LIMITLINE_KEEP_DAYS: string) =>
    readSettings({ env: { LIMITLINE_KEEP_DAYS }, cwd }).LIMITLINE_KEEP_DAYS;
  expect(readSettings({ env: {}, cwd }).LIMITLINE_KEEP_DAYS).toBeUndefined();
  expect(daysOf('90')).toBe(90);
  for (const wrong of ['0', '1.5', 'ninety', '40000']) expect(() => daysOf(wrong)).toThrow(/LIMITLINE_KEEP_DAYS/);
});

test('REVIEW_DAYS is a number of whole days without a default', () => {
  const daysOf = (REVIEW_DAYS: string) => readSettings({ env: { REVIEW_DAYS }, cwd }).REVIEW_DAYS;
  expect(readSettings({ env: {}, cwd }).REVIEW_DAYS).toBeUndefined();
  expect(daysOf('14')).toBe(14);
  for (const wrong of ['0', '1.5', 'a week', '-1']) expect(() => daysOf(wrong)).toThrow(/REVIEW_DAYS/);
});

test('the schedule is read from LIMITLINE_SCHEDULE or a mounted file, and each of its faults is reported', async () => {
  const path = join(cwd, 'schedule');
  await writeFile(path, 'reconcile 02:30 Europe/Berlin\nretry Mon-Fri 04:00\n');
  expect(readSettings({ env: { LIMITLINE_SCHEDULE_FILE: path }, cwd }).LIMITLINE_SCHEDULE).toBe(
    'reconcile 02:30 Europe/Berlin\nretry Mon-Fri 04:00',
  );
  const faulty = () => readSettings({ env: { LIMITLINE_SCHEDULE: 'reconcile 0 0 30 2 *; retry * * * * * *' }, cwd });
  expect(faulty).toThrow('"reconcile 0 0 30 2 *" in it names a day that no month of it has, so it never comes');
  expect(faulty).toThrow('"retry * * * * * *" in it has six fields; there are no seconds here');
});
