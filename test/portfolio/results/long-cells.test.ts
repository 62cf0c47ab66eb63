import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { makeFolder } from '../../support/workplace.ts';

const READ = new URL('../../../src/portfolio/results/decisions-file.ts', import.meta.url);
const LONG = 'x'.repeat(100_000);
/** All long cells together are larger than the memory of the process that reads them. */
const [LINES, MEMORY_MB] = [600, 48];

test('a decisions file with very long cells is read in little memory, in read and unread columns', async () => {
  const dir = await makeFolder();
  const cells = [`bl_${'1'.repeat(50)},approved,${LONG}`, `bl_1,${LONG},`];
  const paths = cells.map((_cells, at) => join(dir, `${at}.decisions.csv`));
  for (const [at, line] of cells.entries()) {
    const lines = ['buyer_limit_id,status,note\n', ...Array<string>(LINES).fill(`${line}\n`)];
    await pipeline(Readable.from(lines), createWriteStream(paths[at] ?? ''));
  }
  const script = `const { readDecisionsFile } = await import(${JSON.stringify(READ.href)});
for (const path of ${JSON.stringify(paths)}) {
  const { problems, decisions } = await readDecisionsFile(path);
  console.log(JSON.stringify([decisions.length, problems.length, problems[0]?.message]));
}`;
  const args = [`--max-old-space-size=${MEMORY_MB}`, '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const problem = 'The cell status has more than 500 characters, more than any status has: shorten the cell.';
  expect(stdout).toBe(`[${LINES},0,null]\n[0,${LINES},"${problem}"]\n`);
});
