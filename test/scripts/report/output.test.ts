import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, onTestFinished, test } from 'vitest';
import { checkOutput, writeOutput } from '../../../scripts/report/output.ts';
import { openDesk } from '../../support/desk.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Makes standard output a terminal or not. */
function standardOutput(isTTY: boolean): void {
  const known = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true });
  onTestFinished(() => {
    if (known) Object.defineProperty(process.stdout, 'isTTY', known);
    else Reflect.deleteProperty(process.stdout, 'isTTY');
  });
}

test('a workbook is refused on a terminal, and written elsewhere', () => {
  standardOutput(true);
  expect(() => checkOutput(undefined, { isBinary: true })).toThrow('--out FILE.xlsx');
  checkOutput(undefined, { isBinary: false });
  standardOutput(false);
  checkOutput(undefined, { isBinary: true });
});

test('a missing folder for --out is refused at the start', async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, 'file'), '');
  for (const folder of ['none', 'file']) {
    expect(() => checkOutput(join(dir, folder, 'out.csv'), { isBinary: false })).toThrow(
      /there is no folder .*make it/,
    );
  }
  checkOutput(join(dir, 'out.csv'), { isBinary: false });
});

// Promise: out-file-when-complete
test('an output file replaces the earlier one when it is complete, and a failure leaves the earlier one', async () => {
  const dir = await makeFolder();
  const out = join(dir, 'out.csv');
  await writeOutput(out, (to) => pipeline(['first'], to));
  await symlink(out, join(dir, 'link.csv'));
  await writeOutput(join(dir, 'link.csv'), (to) => pipeline(['second'], to));
  const failing = writeOutput(out, async (to) => {
    to.write('half');
    throw new Error('the ledger is gone');
  });
  await expect(failing).rejects.toThrow('the ledger is gone');
  expect(await readFile(out, 'utf8')).toBe('second');
  expect((await readdir(dir)).sort()).toEqual(['link.csv', 'out.csv']);
});

test('an output path that is a folder is refused in one sentence', async () => {
  const dir = await makeFolder();
  await mkdir(join(dir, 'out'));
  await expect(writeOutput(join(dir, 'out'), (to) => pipeline(['x'], to))).rejects.toThrow('it is a folder');
});

// Promise: json-names-out-file
test('with --json, standard output has the name of the --out file', async () => {
  const { json, limitline, read } = await openDesk(1);
  await limitline('import', 'q4.csv');
  for (const args of [
    ['report', 'q4'],
    ['report', 'q4', '--format', 'csv'],
    ['report', 'q4', '--format', 'errors-csv'],
    ['report', 'q4', '--causes'],
    ['audit', 'export'],
    ['events', 'export'],
  ]) {
    expect(await json(...args, '--out', 'out.txt'), args.join(' ')).toEqual({ out: 'out.txt' });
  }
  await limitline('report', 'q4', '--json', '--out', 'out.json');
  expect(JSON.parse(await read('out.json'))).toEqual(await json('report', 'q4'));
});
