import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeSheet } from '../../src/table/xlsx/write-sheet.ts';
import { callCommand, LIMITLINE, runCommand } from '../support/command.ts';
import { openDesk } from '../support/desk.ts';
import { buyerLines, makeFolder } from '../support/workplace.ts';

// Promises: report-counts-not-as-asked, results-not-written-is-said, run-leaves-results
test('run writes a results file and an errors file, and counts what was not granted as requested', async () => {
  const { cwd, standIn, names, limitline, read } = await openDesk(6, {
    rules: [
      { on: 'limit', match: 'HRB 1', fault: 'decision', status: 'under review', share: 0 },
      { on: 'limit', match: 'HRB 2', fault: 'decision', status: 'approved', share: 0.5 },
      { on: 'limit', match: 'HRB 3', fault: 'status', status: 422, body: 'too high' },
      { on: 'limit', match: 'HRB 4', fault: 'reset', made: true },
    ],
  });
  const first = await limitline('run', 'q4.csv');
  expect(first.status).toBe(2);
  expect(first.stdout).toContain('The service answered: 3 approved, 1 under review.\n');
  expect(first.stdout).toContain('Not known to be approved: 1 “under review”.\n1 limit granted below the request.\n');
  expect(first.stderr).toMatch(/not known to be approved: 1 “under review”; 1 limit granted below the request\)\.$/m);
  expect(first.stderr).toMatch(/^limitline: results: q4\.results\.csv$/m);
  expect(first.stderr).toMatch(
    /^limitline: mend these lines: q4\.errors\.csv; .*run "q4\.errors\.csv" --portfolio "q4"$/m,
  );
  expect(first.stderr).toMatch(/^limitline: 1 row is held, because .*npx limitline report "q4" --state held/m);
  expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results.csv']);
  expect((await read('q4.results.csv')).split('\n')).toHaveLength(8);
  expect(await read('q4.errors.csv')).toContain('too high');

  await limitline('resolve', 'q4', '--line', '5', '--made', 'bl_told', '--id-is-right');
  await standIn.setFaults({ rules: [] });
  // A person edits and saves the errors file.
  await appendFile(join(cwd, 'q4.errors.csv'), '\n');
  const second = await limitline('run', 'q4.errors.csv', '--portfolio', 'q4', '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({
    states: { done: 6 },
    grantedBelow: 1,
    before: { granted: '0.00', statuses: {} },
    files: { results: join(cwd, 'q4.results.csv'), errors: null },
  });
  expect(await names()).toEqual(['q4.csv', 'q4.errors.csv', 'q4.results.csv']);

  const nowhere = await limitline('run', 'q4.csv', '--results', 'nowhere');
  expect(nowhere.status).toBe(0);
  expect(nowhere.stderr).toMatch(/^limitline: no results file: .*nowhere.* no such folder.*report "q4" --format csv/m);

  expect(JSON.parse((await limitline('report', '--json')).stdout)).toMatchObject({
    portfolios: [{ portfolio: 'q4', standing: 'settled', states: { done: 6 }, sums: { grantedBelow: 1 } }],
  });
});

// Promise: file-from-standard-input
test('a CSV or workbook on standard input is checked, imported and run like a file', async () => {
  const { cwd, env, names, read } = await openDesk(2);
  const run = (args: string[], input: string | Buffer) => callCommand(args, { cwd, env, input });
  const csv = await read('q4.csv');
  expect((await run(['run', '-'], csv)).stderr).toContain('--portfolio NAME');
  const checked = await run(['check', '-'], csv);
  expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('standard input: 2 lines') });
  expect(await runCommand(['run', '-', '--portfolio', 'piped'], { cwd, env, input: csv })).toMatchObject({ status: 0 });
  expect(await names()).toEqual(['piped.results.csv', 'q4.csv']);
  await writeSheet(sheetOf(csv), createWriteStream(join(cwd, 'book.xlsx')), { name: 'q4', kindOf: () => 'text' });
  const bytes = await readFile(join(cwd, 'book.xlsx'));
  expect(await run(['import', '-', '--portfolio', 'brought'], bytes)).toMatchObject({ status: 0 });
  const book = await run(['check', '-', '--json'], bytes);
  expect(JSON.parse(book.stdout)).toMatchObject({ rows: 2, problems: [], dialect: { sheet: 'q4' } });
});

async function* sheetOf(csv: string): AsyncGenerator<string[]> {
  for (const line of csv.trim().split('\n')) yield line.split(',');
}

test('a reader that closes the output early stops neither the run nor the end of its Redis', async () => {
  const cwd = await makeFolder();
  await mkdir(join(cwd, 'data'));
  await writeFile(join(cwd, 'q4.csv'), `${buyerLines(3).join('\n')}\n`);
  const shell = spawn('sh', ['-c', `"$1" "$2" run q4.csv | true`, 'sh', process.execPath, LIMITLINE], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, LIMITLINE_DATA: join(cwd, 'data') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await once(shell, 'close');
  expect(await readdir(cwd)).toContain('q4.results.csv');
  const [pid] = (await readFile(join(cwd, 'data', 'redis', 'server.pid'), 'utf8')).split('/');
  await expect.poll(() => isRunning(Number(pid))).toBe(false);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
