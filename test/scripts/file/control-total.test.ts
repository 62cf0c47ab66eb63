import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callCommand } from '../../support/command.ts';
import { makeFolder } from '../../support/workplace.ts';

// Promise: control-total-stops-import
test('check compares all lines of a file with a control total', async () => {
  const cwd = await makeFolder();
  await writeFile(join(cwd, 'q4.csv'), 'name,country_code,requested_limit\nA,DE,1000.10\nB,DE,2000\n');
  const check = (total: string) => callCommand(['check', 'q4.csv', '--total', total], { cwd });
  expect(await check('3000.10')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('The control total 3,000.10 agrees with the file.\n'),
  });
  const other = await check('3000');
  expect(other.status).toBe(2);
  expect(other.stdout).toContain('add up to 3,000.10, 0.10 more');
  expect(other.stdout).toContain('Nothing would be imported: the control total differs.');
  expect(other.stdout).not.toContain('An import would request');
  expect((await check('much')).status).toBe(1);
});
