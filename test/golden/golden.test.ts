import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('what a fixed state leads to is kept as it is: npm run golden shows each difference, and -- --write keeps what is meant', () => {
  const main = join(import.meta.dirname, 'main.ts');
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-semi-space-size=64', main, '--state'], {
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^\d+ goldens are as they were kept\n$/),
    stderr: '',
  });
});
