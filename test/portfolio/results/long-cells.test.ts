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
const LINES = 1_200;

test.each([
  ['a column that is not read', `bl_${'1'.repeat(50)},approved,${LONG}`, undefined],
  [
    'a column that is read',
    `bl_1,${LONG},`,
    'The cell status has more than 500 characters, more than any status has: shorten the cell.',
  ],
])(
  'a decisions file with long cells in %s is read within little memory',
  async (_where, line, problem) => {
    const path = join(await makeFolder(), 'long.decisions.csv');
    function* lines() {
      yield 'buyer_limit_id,status,note\n';
      for (let at = 0; at < LINES; at += 1) yield `${line}\n`;
    }
    await pipeline(Readable.from(lines()), createWriteStream(path));
    const script = `const { readDecisionsFile } = await import(${JSON.stringify(READ.href)});
const { problems, decisions } = await readDecisionsFile(${JSON.stringify(path)});
console.log(JSON.stringify([decisions.length, problems.length, problems[0]?.message]));`;
    const args = ['--max-old-space-size=96', '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const [good, bad] = problem ? [0, LINES] : [LINES, 0];
    expect(JSON.parse(stdout)).toEqual([good, bad, problem ?? null]);
  },
  120_000,
);
