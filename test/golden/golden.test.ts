import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

test('the golden files agree with the fixed state: npm run golden shows differences, and -- --write keeps them', () => {
  const main = join(import.meta.dirname, 'main.ts');
  const { stdout, stderr } = spawnSync(process.execPath, ['--max-semi-space-size=64', main, '--state'], {
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^\d+ goldens are as they were kept\n$/),
    stderr: '',
  });
});
