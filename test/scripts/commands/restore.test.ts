import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MANIFEST } from '../../../jobs/archive/manifest.ts';
import { openDesk } from '../../support/desk.ts';

const ARCHIVED = 'limitline: q4 is archived: npx limitline restore "q4" brings its rows back.\n';

// Promise: archived-is-said
test('every command that would change an archived portfolio fails and prints the restore command', async () => {
  const { limitline, json } = await openDesk(2);
  expect((await limitline('run', 'q4.csv')).status).toBe(0);
  const { folder } = await json('archive', 'q4');
  const commands = [
    ['run', 'q4.csv'],
    ['import', 'q4.csv'],
    ['check', 'q4.csv'],
    ['retry', 'q4'],
    ['resolve', 'q4', '--line', '2', '--resend'],
    ['cancel', 'q4'],
    ['pause', 'q4'],
    ['resume', 'q4'],
    ['approve', 'q4', '--as', 'bob'],
    ['rule', 'add', '--portfolio', 'q4', '--status', '503', '--nights', '2'],
  ];
  for (const args of commands) {
    const { status, stderr } = await limitline(...args);
    expect({ args, status, stderr }).toEqual({ args, status: 1, stderr: expect.stringContaining(ARCHIVED) });
  }
  // An archive that somebody changed is refused with the name of the file, and nothing is restored.
  const manifest = await readFile(join(folder, MANIFEST));
  await writeFile(join(folder, MANIFEST), manifest.subarray(1));
  expect(await limitline('restore', 'q4')).toMatchObject({ status: 1, stderr: expect.stringContaining(MANIFEST) });
  await writeFile(join(folder, MANIFEST), manifest);
  const { status, stdout } = await limitline('restore', 'q4');
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `q4 is restored.
  2 rows are back in Redis, as they were when they left.
  The archive files stay until the portfolio is archived again, in
  ${folder}
`,
  });
  const again = await limitline('restore', 'q4');
  expect(again).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('q4 is not archived: all of it is in Redis'),
  });
  expect(await limitline('restore', 'none')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no portfolio'),
  });
  // The service gets no further call.
  expect(await json('run', 'q4.csv')).toMatchObject({ states: { done: 2 }, calls: { limit: 2, company: 2 } });
  await json('archive', 'q4');
  expect(await json('restore', 'q4')).toMatchObject({ restored: true, portfolio: 'q4', rows: 2, states: { done: 2 } });
  expect((await limitline('audit', 'list')).stdout).toContain('portfolio restored');
});
