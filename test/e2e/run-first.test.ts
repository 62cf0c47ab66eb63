import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDesk } from '../support/desk.ts';

// Promise: rest-after-first-rows
test('run --first sends that many rows and pauses, and resume lets the next run send the rest', async () => {
  const desk = await openDesk(12);
  const ran = await desk.limitline('run', 'q4.csv', '--first', '5');
  expect(ran.status).toBe(2);
  expect(ran.stderr).toContain(
    'paused: 5 rows were sent first; resume to send the rest. Go on with: npx limitline resume "q4"',
  );
  expect(ran.stdout).toContain('Paused: 5 rows were sent first; resume to send the rest.');
  expect(desk.standIn.counts().made.limit).toBe(5);
  // Another run, as after a kill, sends no further row.
  expect((await desk.limitline('run', 'q4.csv', '--first', '5')).status).toBe(2);
  expect(desk.standIn.counts().made.limit).toBe(5);

  await desk.limitline('resume', 'q4');
  expect((await desk.limitline('run', 'q4.csv')).status).toBe(0);
  expect(desk.standIn.counts().made.limit).toBe(12);
});

test('a portfolio whose other rows are cancelled is finished, and no output calls it paused', async () => {
  const desk = await openDesk(4);
  await desk.limitline('run', 'q4.csv', '--first', '2');
  expect((await desk.limitline('portfolios')).stdout).toContain('  paused');
  await desk.limitline('cancel', 'q4');
  const report = await desk.limitline('report', 'q4');
  expect(report.stdout).toContain(', finished 20');
  expect(report.stdout).not.toMatch(/paused|resume/i);
  expect((await desk.limitline('portfolios')).stdout).toMatch(/ {2}finished/);
  expect((await desk.limitline('resume', 'q4')).stdout).toContain(
    'Portfolio q4 is resumed: nothing of it is left to send.',
  );
  expect((await desk.limitline('pause', 'q4')).stdout).toBe(
    'Portfolio q4 is paused, though nothing of it is left to send now; go on with: npx limitline resume "q4"\n',
  );
});

test('resume counts the rows that need a person when no other row is left', async () => {
  const desk = await openDesk(2, { rules: [{ on: 'limit', match: 'HRB 1', fault: 'reset', made: true, times: 1 }] });
  await desk.limitline('run', 'q4.csv');
  expect((await desk.limitline('pause', 'q4')).stdout).toBe(
    'Portfolio q4 is paused; go on with: npx limitline resume "q4"\n',
  );
  expect((await desk.limitline('resume', 'q4')).stdout).toBe(
    'Portfolio q4 is resumed: nothing of it goes before a person acts (1 row held for an answer).\n',
  );
});

// Promise: first-rows-only
test('--first also applies to rows of an earlier import, and they are sent with the latest words of their lines', async () => {
  const desk = await openDesk(6);
  await desk.limitline('import', 'q4.csv', '--yes');
  const csv = await desk.read('q4.csv');
  await writeFile(join(desk.cwd, 'q4.csv'), csv.replace('1001.5', '1111.11'));
  expect((await desk.limitline('run', 'q4.csv', '--first', '2')).status).toBe(2);
  expect(desk.standIn.counts().made.limit).toBe(2);
  const { states, requested } = await desk.json('report', 'q4');
  expect([states.done, requested]).toEqual([2, '2113.61']);
});

test('an invalid --first is refused before anything is done', async () => {
  const desk = await openDesk(1);
  const refused = await desk.limitline('import', 'q4.csv', '--first', '0');
  expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('Give a number of rows, 1 to 10000.') });
});
