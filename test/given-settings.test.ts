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

test.each([
  ['"pa#ss" # a comment', 'pa#ss'],
  [`'pa"#ss'`, 'pa"#ss'],
  ['pa"ss # it is "quoted"', 'pa"ss'],
  ["it's #1", "it's"],
])('the value %s in .env is read', async (value, read) => {
  expect((await settingsBy(`SERVICE_CLIENT_SECRET=${value}`)).SERVICE_CLIENT_SECRET).toBe(read);
});
