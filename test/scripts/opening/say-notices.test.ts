import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { makeFolder } from '../../support/workplace.ts';

const COMMAND = join(import.meta.dirname, '../../../scripts/limitline.cjs');

test.each([
  ['a command', [], 1],
  ['a part of up, which has said it already,', ['ipc' as const], 0],
])('%s names a setting without effect %j', async (_who, channel, times) => {
  const cwd = await makeFolder();
  const env = { PATH: process.env.PATH, LIMITLINE_DATA: cwd, INBOX_APPROVERS: 'dora' };
  const child = spawn(process.execPath, [COMMAND, 'check', 'none.csv'], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe', ...channel],
  });
  const [said] = await Promise.all([child.stderr ? text(child.stderr) : '', once(child, 'exit')]);
  expect(said).toContain('none.csv');
  expect(said.match(/INBOX_APPROVERS asks for no approval/g) ?? []).toHaveLength(times);
});
