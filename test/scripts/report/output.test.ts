import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { expect, onTestFinished, test } from 'vitest';
import { checkNotImported, checkOutput, writeOutput } from '../../../scripts/report/output.ts';
import { makeStoreLooks } from '../../../src/documents/store.ts';
import { openDesk } from '../../support/desk.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Standard output as it is on a terminal, or elsewhere. */
function standardOutput(isTTY: boolean): void {
  const known = Object.getOwnPropertyDescriptor(process.stdout, 'isTTY');
  Object.defineProperty(process.stdout, 'isTTY', { value: isTTY, configurable: true });
  onTestFinished(() => {
    if (known) Object.defineProperty(process.stdout, 'isTTY', known);
    else Reflect.deleteProperty(process.stdout, 'isTTY');
  });
}

test('a workbook is not written to a terminal, and anywhere else it is', () => {
  standardOutput(true);
  expect(() => checkOutput(undefined, { isBinary: true })).toThrow('--out FILE.xlsx');
  checkOutput(undefined, { isBinary: false });
  standardOutput(false);
  checkOutput(undefined, { isBinary: true });
});

test('a folder that is not there is said before anything is asked', async () => {
  const dir = await makeFolder();
  await writeFile(join(dir, 'file'), '');
  for (const folder of ['none', 'file']) {
    expect(() => checkOutput(join(dir, folder, 'out.csv'), { isBinary: false })).toThrow(
      /there is no folder .*make it/,
    );
  }
  checkOutput(join(dir, 'out.csv'), { isBinary: false });
});

// Promise: out-spares-imported
test('a report does not overwrite a file that was imported into its portfolio, and does any other', async () => {
  const { limitline, read, cwd } = await openDesk(1);
  const list = await read('q4.csv');
  await limitline('import', 'q4.csv', '--yes');
  for (const format of ['csv', 'errors-csv']) {
    expect(await limitline('report', 'q4', '--format', format, '--out', 'q4.csv')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limitline: q4\.csv is a file that was imported, .* with --out\.\n$/m),
    });
    expect(await read('q4.csv')).toBe(list);
  }
  const written = await limitline('report', 'q4', '--format', 'csv', '--out', 'results.csv');
  expect(written).toMatchObject({ status: 0 });
  expect(await limitline('report', 'q4', '--format', 'csv', '--out', 'results.csv')).toEqual(written);
  // An errors file that was corrected and imported may be overwritten by the next one.
  await writeFile(join(cwd, 'q5.csv'), 'name,requested_limit\nAcme,none\n');
  await limitline('import', 'q5.csv', '--yes');
  const errors = ['report', 'q5', '--format', 'errors-csv', '--out', 'errors.csv'];
  await limitline(...errors);
  expect(await limitline('import', 'errors.csv', '--portfolio', 'q5', '--yes')).toMatchObject({ status: 2 });
  expect(await limitline(...errors)).toMatchObject({ status: 0 });
});

// Promise: out-spares-imported
test('no answer overwrites a file that was imported into another portfolio', async () => {
  const { limitline, read, cwd } = await openDesk(1);
  await writeFile(join(cwd, 'q5.csv'), 'name,requested_limit\nAcme,100\n');
  await limitline('import', 'q4.csv', '--yes');
  await limitline('import', 'q5.csv', '--yes');
  const list = await read('q4.csv');
  for (const command of [
    ['report', 'q5', '--format', 'csv'],
    ['audit', 'export'],
    ['events', 'export'],
  ]) {
    expect(await limitline(...command, '--out', 'q4.csv')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^limitline: q4\.csv is a file that was imported, .* with --out\.\n$/m),
    });
    expect(await read('q4.csv')).toBe(list);
  }
});

test('where nothing was imported, any file may be overwritten', async () => {
  const out = join(await makeFolder(), 'out.csv');
  await writeFile(out, '');
  const storedFiles = makeStoreLooks({ dir: await makeFolder() });
  await checkNotImported(out, { storedFiles });
  await checkNotImported(out, { storedFiles }, [{ id: 'other' }]);
});

// Promise: out-file-when-complete
test('a file has its name when it is whole, and what was there stays where it does not get so far', async () => {
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

test('a folder in the place of a file is refused in one sentence', async () => {
  const dir = await makeFolder();
  await mkdir(join(dir, 'out'));
  await expect(writeOutput(join(dir, 'out'), (to) => pipeline(['x'], to))).rejects.toThrow('it is a folder');
});
