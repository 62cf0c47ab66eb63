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
