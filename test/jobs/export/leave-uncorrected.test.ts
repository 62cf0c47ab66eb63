import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leaveResults } from '../../../jobs/export/leave-results.ts';
import { hasUnrequested } from '../../../jobs/nightly/finance/unrequested-lines.ts';
import { rowOf, writeSheets } from '../../support/workbooks.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,requested_limit';

/** A portfolio whose results are written beside its files, as `run` does. */
async function openPlace() {
  const place = await openWorkplace();
  const signal = new AbortController().signal;
  const deps = { ...place.context, signal };
  const at = (name: string) => join(place.dir, name);
  return {
    ...place,
    at,
    /** Runs a file, with or without a wrong line. */
    async run(name: string, { lines, isFaulty, sheet }: { lines?: string[]; isFaulty: boolean; sheet?: string }) {
      if (lines) await writeFile(at(name), `${lines.join('\n')}\n`);
      await place.importFile(at(name), sheet === undefined ? {} : { sheet });
      return leaveResults({ portfolio: 'q4', path: at(name) }, isFaulty, {
        ...deps,
        hasUnrequested: (of) => hasUnrequested(of, deps),
      });
    },
    errors: async () => (await readdir(place.dir)).filter((name) => name.includes('.errors')).sort(),
  };
}

// Promise: uncorrected-errors-file-stays
test('an errors file stays if a file of the same name lacks its line, and is removed after the line was corrected', async () => {
  const { run, at, errors } = await openPlace();
  await run('q4.csv', { lines: [HEADER, 'Acme GmbH,DE,1000', 'Beta GmbH,DE,oops'], isFaulty: true });
  const other = { lines: [HEADER, 'Gamma GmbH,DE,3000'], isFaulty: false };
  const stays = { errors: null, removed: [], uncorrected: [at('q4.errors.csv')], fault: null };
  expect(await run('q4.csv', other)).toMatchObject(stays);
  // The errors file stays however often the other file is run.
  expect(await run('q4.csv', other)).toMatchObject(stays);
  expect(await readFile(at('q4.errors.csv'), 'utf8')).toContain('Beta GmbH,DE,oops');
  const faulty = { lines: [HEADER, 'Delta GmbH,DE,none'], isFaulty: true };
  expect(await run('q4.csv', faulty)).toMatchObject({
    errors: at('q4.errors-2.csv'),
    uncorrected: [at('q4.errors.csv')],
  });
  const mended = { lines: [HEADER, 'Delta GmbH,DE,4000'], isFaulty: false };
  expect(await run('q4.csv', mended)).toMatchObject({
    removed: [at('q4.errors-2.csv')],
    uncorrected: [at('q4.errors.csv')],
  });
  expect(await errors()).toEqual(['q4.errors.csv']);
});

// Promises: uncorrected-errors-file-stays, unread-correction-named
test('the errors file of an unreadable correction stays until a later file has the buyer in a readable line', async () => {
  const { run, at } = await openPlace();
  const header = `${HEADER},request_reference`;
  await run('q4.csv', { lines: [header, 'Acme GmbH,DE,1000,R1'], isFaulty: false });
  await run('q4.csv', { lines: [header, 'Acme GmbH,DE,1O00,R1', 'Beta GmbH,DE,2000,R2'], isFaulty: true });
  const uncorrected = [at('q4.errors.csv')];
  const clean = { lines: [header, 'Gamma GmbH,DE,3000,R3'], isFaulty: false };
  expect(await run('q4.csv', clean)).toMatchObject({ removed: [], uncorrected });
  expect(await run('other.csv', { lines: [header, 'Acme GmbH,DE,1000,R1'], isFaulty: false })).toMatchObject({
    fault: null,
  });
  expect(await run('q4.csv', clean)).toMatchObject({ removed: uncorrected, uncorrected: [] });
});

// Promises: uncorrected-errors-file-stays, changed-line-named
test.each([
  ['repeats the sent request', 'Acme GmbH,DE,1000,R1'],
  ['asks for a second limit', 'Acme GmbH,DE,2000,R2'],
])('the errors file of a line changed after sending stays until a later file %s', async (_name, line) => {
  const { run, at, work, settled } = await openPlace();
  const header = `${HEADER},request_reference`;
  await work();
  await run('q4.csv', { lines: [header, 'Acme GmbH,DE,1000,R1'], isFaulty: false });
  await settled();
  await run('q4.csv', { lines: [header, 'Acme GmbH,DE,2000,R1', 'Beta GmbH,DE,2000,R3'], isFaulty: true });
  const uncorrected = [at('q4.errors.csv')];
  const clean = { lines: [header, 'Gamma GmbH,DE,3000,R4'], isFaulty: false };
  expect(await run('q4.csv', clean)).toMatchObject({ removed: [], uncorrected });
  expect(await readFile(at('q4.errors.csv'), 'utf8')).toContain('Acme GmbH,DE,2000,R1');
  await run('other.csv', { lines: [header, line], isFaulty: false });
  expect(await run('q4.csv', clean)).toMatchObject({ removed: uncorrected, uncorrected: [] });
});

// Promises: uncorrected-errors-file-stays, repeated-line-decided
test.each([
  ['has the line once', [HEADER, 'Acme GmbH,DE,1000']],
  ['gives the line a reference', [`${HEADER},request_reference`, 'Acme GmbH,DE,1000,R2']],
])('the errors file of a repeated line stays until a later file %s', async (_name, lines) => {
  const { run, at } = await openPlace();
  await run('q4.csv', { lines: [HEADER, 'Acme GmbH,DE,1000', 'Acme GmbH,DE,1000'], isFaulty: true });
  const clean = { lines: [HEADER, 'Gamma GmbH,DE,3000'], isFaulty: false };
  expect(await run('q4.csv', clean)).toMatchObject({ removed: [], uncorrected: [at('q4.errors.csv')] });
  await run('other.csv', { lines, isFaulty: false });
  expect(await run('q4.csv', clean)).toMatchObject({ removed: [at('q4.errors.csv')], uncorrected: [] });
});

// Promise: uncorrected-errors-file-stays
test('an errors file is removed after another file corrected its lines, unless somebody changed it', async () => {
  const { run, at, errors, importFile } = await openPlace();
  const oops = { lines: [HEADER, 'Acme GmbH,DE,1000', 'Beta GmbH,DE,oops'], isFaulty: true };
  const other = { lines: [HEADER, 'Gamma GmbH,DE,3000'], isFaulty: false };
  await run('q4.csv', oops);
  expect(await run('q4.csv', other)).toMatchObject({ uncorrected: [at('q4.errors.csv')] });
  const mended = (await readFile(at('q4.errors.csv'), 'utf8')).replace('oops', '2000');
  await writeFile(at('elsewhere.csv'), mended);
  await importFile(at('elsewhere.csv'));
  expect(await run('q4.csv', other)).toMatchObject({ removed: [at('q4.errors.csv')], uncorrected: [], kept: [] });
  expect(await errors()).toEqual([]);
  await run('q5.csv', { ...oops, lines: [HEADER, 'Acme GmbH,DE,1500', 'Beta GmbH,DE,none'] });
  await run('q5.csv', other);
  await writeFile(at('again.csv'), (await readFile(at('q5.errors.csv'), 'utf8')).replace('none', '2500'));
  await writeFile(at('q5.errors.csv'), 'notes');
  await importFile(at('again.csv'));
  expect(await run('q5.csv', other)).toMatchObject({ removed: [], kept: [at('q5.errors.csv')] });
});

// Promise: uncorrected-errors-file-stays
test.each([
  ['was imported only', {}],
  ['was imported only, and the errors file is one of an earlier version', { of: undefined }],
  ['was imported only, and an earlier version had left the errors file to people', { of: undefined, sha256: '' }],
])('an errors file stays if a file between %s, whether the third file is faulty or not', async (_name, before) => {
  const { run, at, errors, importFile, context } = await openPlace();
  await run('q4.csv', { lines: [HEADER, 'Acme GmbH,DE,1000', 'Beta GmbH,DE,oops'], isFaulty: true });
  const records = join(context.settings.LIMITLINE_DATA, 'left');
  for (const name of await readdir(records)) {
    const record = JSON.parse(await readFile(join(records, name), 'utf8'));
    await writeFile(join(records, name), JSON.stringify({ ...record, ...before }));
  }
  await writeFile(at('q4.csv'), `${HEADER}\nGamma GmbH,DE,3000\n`);
  await importFile(at('q4.csv'));
  const uncorrected = [at('q4.errors.csv')];
  const clean = { lines: [HEADER, 'Delta GmbH,DE,4000'], isFaulty: false };
  expect(await run('q4.csv', clean)).toMatchObject({ uncorrected, removed: [] });
  const faulty = { lines: [HEADER, 'Delta GmbH,DE,none'], isFaulty: true };
  expect(await run('q4.csv', faulty)).toMatchObject({ uncorrected, errors: at('q4.errors-2.csv') });
  expect(await readFile(at('q4.errors.csv'), 'utf8')).toContain('Beta GmbH,DE,oops');
  // A person who needs the lines no more removes the file. A later errors file is removed with its own lines.
  await rm(at('q4.errors.csv'));
  expect(await run('q4.csv', faulty)).toMatchObject({ uncorrected: [], errors: at('q4.errors.csv') });
  expect(await run('q4.csv', clean)).toMatchObject({ uncorrected: [], removed: [at('q4.errors.csv')] });
  expect(await errors()).toEqual([]);
});

// Promise: uncorrected-errors-file-stays
test('the errors file of one sheet stays when another sheet is run', async () => {
  const { run, at } = await openPlace();
  const head = rowOf(1, ['name', 'requested_limit']);
  await writeSheets(at('two.xlsx'), [
    { name: 'North', rows: head + rowOf(2, ['Acme GmbH', '1']) + rowOf(3, ['Beta GmbH', 'much']) },
    { name: 'South', rows: head + rowOf(2, ['Gamma GmbH', '3']) },
  ]);
  expect(await run('two.xlsx', { isFaulty: true })).toMatchObject({ errors: at('two.xlsx.errors.csv') });
  expect(await run('two.xlsx', { isFaulty: false, sheet: 'South' })).toMatchObject({
    removed: [],
    uncorrected: [at('two.xlsx.errors.csv')],
  });
});
