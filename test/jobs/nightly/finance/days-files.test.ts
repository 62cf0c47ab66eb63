import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Context } from '../../../../src/context.ts';
import { financeItems } from '../../../support/ledger.ts';
import { rowOf, writeSheets } from '../../../support/workbooks.ts';
import { exportedBytes, exportedText, openWorkplace } from '../../../support/workplace.ts';

async function told(context: Context) {
  return (await financeItems(context))
    .filter(({ check }) => check === 'not requested')
    .map(({ line, name, says, detail }) => [line, name, detail?.split(':')[0], says]);
}

const HEADER = 'name,country_code,company_registration_number,requested_limit';

test.each<[how: string, damage: (copy: string) => Promise<void>]>([
  [
    'changed in its middle',
    async (copy) => {
      const bytes = await readFile(copy);
      const at = Math.floor(bytes.length / 2);
      await writeFile(copy, bytes.fill(0, at, at + 64));
    },
  ],
  ['cut off', (copy) => truncate(copy, 5_000)],
])('an errors file whose stored copy is %s does not stop the nightly check', async (_how, damage) => {
  const place = await openWorkplace();
  const bad = Array.from({ length: 500 }, (_, n) => `Buyer ${n} ${Math.sin(n)},DE,HRB ${n},much`);
  await place.import([HEADER, ...bad]);
  const path = join(place.dir, 'q4.errors.xlsx');
  await writeFile(path, await exportedBytes(place.context, { only: 'errors', format: 'xlsx' }));
  await place.importFile(path);
  const [, errors] = await place.context.portfolios.allImports('q4');
  await damage(place.context.imports.open(errors?.id ?? '').path);
  expect((await told(place.context)).length).toBeGreaterThan(0);
});

test('an errors file imported in two rounds under one name lists each unrequested line once', async () => {
  const place = await openWorkplace();
  const { context } = place;
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', 'Beta GmbH,DE,HRB 2,much', 'Gamma GmbH,DE,HRB 3,x']);
  const path = join(place.dir, 'errors.csv');
  const first = await exportedText(context, { only: 'errors' });
  await writeFile(path, first.replace('HRB 2,much', 'HRB 22,2'));
  expect(await place.importFile(path)).toMatchObject({ rows: 2, invalid: 1 });
  expect((await told(context)).map(([, name, file]) => [name, file])).toEqual([['Gamma GmbH', 'errors.csv']]);
  const second = await exportedText(context, { only: 'errors' });
  await writeFile(path, second.replace('HRB 3,x', 'HRB 33,y'));
  expect(await place.importFile(path)).toMatchObject({ invalid: 1 });
  expect((await told(context)).map(([, name, file]) => [name, file])).toEqual([['Gamma GmbH', 'errors.csv']]);
});

test('an import under way is left to the next night, and hides no line of an earlier import', async () => {
  const { context, ...place } = await openWorkplace();
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', 'Beta GmbH,DE,HRB 2,much']);
  const [first] = await context.portfolios.allImports('q4');
  const file = { id: first?.id ?? '', fileName: 'other.csv', reading: '{"hiddenRows":true}' };
  const run = await context.portfolios.startImport('q4', file);
  expect((await told(context)).map(([, name]) => name)).toEqual(['Beta GmbH']);
  await run.leave();
});

test('an errors file of another account hides no line of an unrelated file', async () => {
  const trial = await openWorkplace();
  await trial.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', 'Beta GmbH,DE,HRB 2,much']);
  const round = (await exportedText(trial.context, { only: 'errors' })).replace('HRB 2,much', 'HRB 2,2');
  const place = await openWorkplace();
  const { context } = place;
  // The first file of this account's portfolio is a different one.
  await place.import([HEADER, 'Other GmbH,DE,HRB 8,1000', 'Vanished GmbH,DE,HRB 9,much']);
  expect((await told(context)).map(([, name]) => name)).toEqual(['Vanished GmbH']);
  const path = join(place.dir, 'q4.errors.csv');
  await writeFile(path, round);
  await place.importFile(path);
  expect((await told(context)).map(([, name]) => name)).toEqual(['Vanished GmbH']);
});

// Promise: same-name-corrects-nothing
test('a file of the same name corrects only lines of buyers that it contains', async () => {
  const place = await openWorkplace();
  const faulty = ['Beta GmbH,DE,HRB 2,much', ',DE,HRB 3,3000', 'Delta GmbH,XX,HRB 4,4000', 'Eta GmbH,DE,HRB 5,all'];
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', ...faulty]);
  const names = async () => (await told(place.context)).map(([line, name]) => [line, name]);
  await place.import([HEADER, 'Gamma GmbH,DE,HRB 7,7000', 'Beta GmbH & Co,DE,HRB 8,8000']);
  expect((await names()).map(([line]) => line)).toEqual([3, 4, 5, 6]);
  // Two lines get a name and a country, one is unchanged, and one buyer has another line now.
  await place.import([
    HEADER,
    'Eta GmbH,DE,HRB 5,all',
    'Beta GmbH,DE,HRB 2,2000',
    'Zeta AG,DE,HRB 3,3000',
    'Delta GmbH,DE,HRB 4,4000',
  ]);
  expect(await names()).toEqual([[2, 'Eta GmbH']]);
});

// Promise: same-name-corrects-nothing
test('a file of the same name corrects a line by its buyer, on any line and only with new content', async () => {
  const place = await openWorkplace();
  const head = 'name,country_code,city,requested_limit';
  await place.import([head, 'Jade GmbH,DE,Ulm,1000', 'Inn AG,Tirol,Ulm,1300', 'Jura OHG,Tirol,Ulm,1400']);
  await place.import([
    head,
    'Neckar GmbH,DE,Ulm,50',
    'Jura OHG,DE,Ulm,1400',
    'Jade GmbH,DE,Ulm,1000',
    'Inn AG,DE,Ulm,99',
  ]);
  // Inn has another amount as well, so it may be another request.
  expect((await told(place.context)).map(([line, name]) => [line, name])).toEqual([[3, 'Inn AG']]);
});

// Promise: other-name-corrects
test('a file of another name corrects only lines whose other cells identify the buyer and the request', async () => {
  const place = await openWorkplace();
  const faulty = ['Beta GmbH,DE,HRB 2,much', ',DE,,3000', 'Delta GmbH,XX,HRB 4,4000', 'Eta GmbH,YY,HRB 5,5000'];
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', ...faulty]);
  const path = join(place.dir, 'corrected.csv');
  const corrected = [
    'Delta GmbH,DE,HRB 4,4000',
    'Zeta AG,DE,,3000',
    'Beta GmbH,DE,HRB 2,2000',
    'Eta GmbH,DE,HRB 5,5001',
  ];
  await writeFile(path, `${[HEADER, ...corrected].join('\n')}\n`);
  // The line without a name may be another buyer's, and Eta may have asked for another limit.
  expect(await place.importFile(path)).toMatchObject({ gone: 2, goneFile: 'q4.csv' });
  expect((await told(place.context)).map(([line]) => line)).toEqual([4, 6]);
});

// Promise: earlier-file-corrects-nothing
test('a file imported before a line does not correct it, even if that file is imported again', async () => {
  const place = await openWorkplace();
  const path = join(place.dir, 'first.csv');
  await writeFile(path, `${HEADER}\nAcme GmbH,DE,,5000\nBeta GmbH,XX,HRB 2,2000\n`);
  await place.importFile(path);
  await place.import([HEADER, 'Beta GmbH,XX,HRB 2,2000', 'Acme GmbH,XX,,5000', ',DE,,5000']);
  expect(await place.importFile(path)).toMatchObject({ gone: 2, goneFile: 'q4.csv' });
  // Acme in another country may be another company. Beta's line is listed with the last file that has it.
  expect((await told(place.context)).map(([line, , file]) => [line, file])).toEqual([
    [3, 'first.csv'],
    [3, 'q4.csv'],
    [4, 'q4.csv'],
  ]);
});

test('another sheet of a workbook corrects no line of the first sheet', async () => {
  const place = await openWorkplace();
  const rows = (limit: string) =>
    rowOf(1, ['name', 'requested_limit']) + rowOf(2, ['Acme GmbH', '1']) + rowOf(3, ['Beta GmbH', limit]);
  const path = await writeSheets(join(place.dir, 'two.xlsx'), [
    { name: 'North', rows: rows('much') },
    { name: 'South', rows: rowOf(1, ['name', 'requested_limit']) + rowOf(2, ['Gamma GmbH', '3']) },
  ]);
  await place.importFile(path);
  const second = await place.importFile(path, { sheet: 'South' });
  expect(second).toMatchObject({ rows: 1, gone: 1 });
  expect((await told(place.context)).map(([line, name]) => [line, name])).toEqual([[3, 'Beta GmbH']]);
});
