import { expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';
import { makeTemporaryFolder } from './support/temporary-folder.ts';

async function settingsBy(line: string) {
  const { dir, write } = await makeTemporaryFolder();
  await write('.env', `${line}\n`);
  return readSettings({ env: {}, cwd: dir });
}

// Promise: env-value-cut
test.each(['pa#ss', "it's#1", '"pa"ss', "'pa' ss", 'pa#ss # a comment'])(
  'the value %s in .env, of which Node reads a part, is a fault',
  async (value) => {
    await expect(settingsBy(`SERVICE_CLIENT_SECRET=${value}`)).rejects.toThrow(
      /\.env has more behind the value of SERVICE_CLIENT_SECRET in line 1/,
    );
  },
);

// Promise: env-value-cut
test.each(['https_proxy', 'HTTPS_PROXY'])(
  'the value of %s in .env, of which Node reads a part, is a fault',
  async (name) => {
    await expect(settingsBy(`${name}=http://me:pa#ss@proxy.example:8080`)).rejects.toThrow(
      `.env has more behind the value of ${name} in line 1`,
    );
  },
);

// Promise: env-value-given-twice
test.each([
  ['APPROVE_ABOVE=100', 'export APPROVE_ABOVE=900000'],
  ['APPROVE_ABOVE=100', 'APPROVE_ABOVE='],
  ['SERVICE_CLIENT_SECRET=s3cret', "SERVICE_CLIENT_SECRET='s3cret2'"],
])('two values of one setting in .env, %s and %s, are a fault that repeats neither', async (one, other) => {
  const name = /[A-Z_]+/.exec(one);
  await expect(settingsBy(`${one}\nSERVICE_CONCURRENCY=5\n${other}`)).rejects.toMatchObject({
    message: expect.stringMatching(`\\.env gives ${name} different values in lines 1 and 3: remove one of the lines`),
  });
  await expect(settingsBy(`${one}\n${other}`)).rejects.not.toThrow('s3cret');
});

test('the same value twice in .env is no fault, and neither is a comment with another one', async () => {
  const lines = ['SERVICE_CONCURRENCY=5', '# SERVICE_CONCURRENCY=6', 'export SERVICE_CONCURRENCY="5" # of today'];
  expect((await settingsBy(lines.join('\n'))).SERVICE_CONCURRENCY).toBe(5);
});

// Promise: empty-hides-said
test('a value of .env that an empty setting of the environment hides is said', async () => {
  const { dir: cwd, write } = await makeTemporaryFolder();
  const lines = [
    'APPROVE_ABOVE=1000',
    'SERVICE_CONCURRENCY=5',
    'METRICS_TOKEN_FILE=token',
    'REDIS_URL=redis://a',
    'OTHER=1',
  ];
  await write('.env', lines.join('\n'));
  const env = { APPROVE_ABOVE: '', SERVICE_CONCURRENCY: '6', METRICS_TOKEN: '', REDIS_URL_FILE: '', OTHER: '' };
  const said = ['APPROVE_ABOVE', 'METRICS_TOKEN_FILE', 'REDIS_URL'].map(
    (name) => `${name} of .env does not count, since the environment has it too, without a value`,
  );
  expect(readSettings({ env, cwd }).notices).toEqual(said);
});

// Promise: empty-hides-said
test('a port of .env that an address of Kubernetes in the environment hides is said, and not to be without a value', async () => {
  const { dir: cwd, write } = await makeTemporaryFolder();
  await write('.env', 'CONSOLE_PORT=4300');
  expect(readSettings({ env: { CONSOLE_PORT: 'tcp://10.0.0.1:80' }, cwd }).notices).toEqual([
    'CONSOLE_PORT of .env does not count, since the environment has it too, as an address that Kubernetes writes',
  ]);
});

test.each([
  ['"pa#ss" # a comment', 'pa#ss'],
  [`'pa"#ss'`, 'pa"#ss'],
  ['pa"ss # it is "quoted"', 'pa"ss'],
  ["it's #1", "it's"],
])('the value %s in .env is read', async (value, read) => {
  expect((await settingsBy(`SERVICE_CLIENT_SECRET=${value}`)).SERVICE_CLIENT_SECRET).toBe(read);
});

test.each([
  'http:/user:s3cret@host',
  'https:user:s3cret@host',
  'http:\\\\user:s3cret@host',
  'http:///user:s3cret@host',
])('the address %s is a fault, whose message has no password', async (url) => {
  const fault = await settingsBy(`SERVICE_URL='${url}'`).catch((error: Error) => error.message);
  expect(fault).toMatch(/SERVICE_URL must be an address that begins with http:\/\/ or https:\/\//);
  expect(fault).not.toContain('s3cret');
});

test('user and password of an address are left out', async () => {
  const { SERVICE_URL } = await settingsBy(
    'SERVICE_URL=HTTPS://user:s3@cret@host/base\nSERVICE_CLIENT_ID=a\nSERVICE_CLIENT_SECRET=b',
  );
  expect(SERVICE_URL).toBe('HTTPS://host/base');
});

// Promise: log-names-nobody
test.each(['SERVICE_CLIENT_SECRET: hunter2==', 'export SERVICE_CLIENT_SECRET hunter2=', 'set METRICS_TOKEN hunter2=='])(
  'the secret in the line %s of .env, which Node takes as a part of the name, is not repeated',
  async (line) => {
    const read = settingsBy(line).then(({ dotenv, notices }) => ({ dotenv, notices }), String);
    expect(JSON.stringify(await read)).not.toContain('hunter2');
  },
);

test('names of .env that are no settings are not said to be', async () => {
  const { dotenv } = await settingsBy(
    'CONSOLE_PORT=4000\nhttps_proxy=http://proxy.example\nhunter2==\nCOMPOSE_PROJECT_NAME=x',
  );
  expect(dotenv?.names).toEqual(['CONSOLE_PORT', 'https_proxy']);
});

// Promise: log-names-nobody
test('a secret where the path of its file should be is not repeated', async () => {
  const read = settingsBy('NOTIFY_WEBHOOK_URL_FILE=https://hooks.example/hunter2').then(JSON.stringify, String);
  expect(await read).toContain('NOTIFY_WEBHOOK_URL_FILE cannot be read: it must be the path of a file that is there');
  expect(await read).not.toContain('hunter2');
  await expect(settingsBy('METRICS_TOKEN_FILE=./none')).rejects.toThrow(
    /METRICS_TOKEN_FILE cannot be read: ENOENT.*none/,
  );
});

test('a path that is there and cannot be read is told from one that is not', async () => {
  await expect(settingsBy('METRICS_TOKEN_FILE=src')).rejects.toThrow(/METRICS_TOKEN_FILE cannot be read: EISDIR/);
});

// Promise: env-value-cut
test.each(['LIMITLINE_DATA=./data APPROVE_ABOVE=5000', 'export REQUIRED_COLUMNS=city,state APPROVE_ABOVE=5000 # both'])(
  'a second setting in the line %s of .env is a fault',
  async (line) => {
    await expect(settingsBy(line)).rejects.toThrow(
      /\.env has APPROVE_ABOVE behind the value of \w+ in line 1: write APPROVE_ABOVE=… in a line of its own/,
    );
  },
);

test.each([
  'LIMITLINE_DATA="./data APPROVE_ABOVE=5000"',
  'LIMITLINE_DATA=./data # APPROVE_ABOVE=5000',
  'COMMAND=run -e APPROVE_ABOVE=5000',
  'spring.REDIS_URL=redis://other.example',
  'my-HTTPS_PROXY=http://proxy.example',
])('the line %s of .env is no fault', async (line) => {
  expect((await settingsBy(line)).APPROVE_ABOVE).toBeUndefined();
});
