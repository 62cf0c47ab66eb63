import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

/** The simulator takes over clock and chance of its process, so it has one of its own. */
const simulate = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, [MAIN, ...args])).stdout;

test('two workers and one row leave the same bytes each time', async () => {
  const said = await Promise.all([simulate('--same', '30'), simulate('--same', '30')]);
  expect(said[0]).toMatch(/^two workers, one row: 30 times [0-9a-f]{64}\n$/);
  expect(said[1]).toBe(said[0]);
});
