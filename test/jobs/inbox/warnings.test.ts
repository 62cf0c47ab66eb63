import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { openInbox } from '../../support/inbox.ts';
import { rowOf, writeSheets } from '../../support/workbooks.ts';
import { makeFolder } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;

// Promise: dropped-warnings-listed
test('an unread sheet of a dropped workbook is in the list of problems, and a notice is sent', async () => {
  const { drop, takeIn, names, read, told } = await openInbox();
  const rows = (name: string) => rowOf(1, ['name', 'requested_limit']) + rowOf(2, [name, '1000']);
  const book = await writeSheets(join(await makeFolder(), 'two.xlsx'), [
    { name: 'North', rows: rows('Acme GmbH') },
    { name: 'South', rows: rows('Beta GmbH') },
  ]);
  await drop('two.xlsx', await readFile(book));
  const { files } = await takeIn();
  expect(files).toMatchObject([{ is: 'imported', found: { lines: 1, rows: 1, warnings: 1 } }]);
  expect(files[0]?.words).toMatch(/ 1 warning: see \S+-two\.problems\.csv\.$/);
  expect(await names('done')).toEqual(['<time>-two.problems.csv', '<time>-two.xlsx']);
  expect(await read('done', 'problems.csv')).toMatch(
    /\n1,,,"Warning: The sheet ""North"" is read, but not ""South"", /,
  );
  const facts = expect.arrayContaining([{ term: 'Warnings', what: '1' }]);
  expect(told).toMatchObject([{ notice: { title: 'A file of the drop folder has warnings: two.xlsx.', facts } }]);
});

// Promise: dropped-warnings-listed
test('a wrong total and a second limit of a buyer are in the list of problems', async () => {
  const { drop, takeIn, read } = await openInbox();
  await drop('q4.csv', text(['name,country_code,requested_limit', 'Acme GmbH,DE,1000', 'Beta GmbH,DE,2000']));
  expect((await takeIn()).files).toMatchObject([{ words: expect.not.stringContaining('warning') }]);
  await drop('q5.csv', text(['name,country_code,requested_limit', 'Acme GmbH,DE,1500', 'Total,,9000']));
  expect((await takeIn()).files).toMatchObject([{ found: { rows: 1, invalid: 1, warnings: 2 } }]);
  const list = await read('done', 'q5.problems.csv');
  expect(list).toContain('2,requested_limit,1500,"Warning: The same buyer has another request, line 2 of q4.csv #1 ');
  expect(list).toContain('Warning: This total differs from the sum of the lines above it');
});

test('a dropped file whose rows were cancelled explains how they are imported again', async () => {
  const { drop, takeIn, context } = await openInbox();
  const lines = text(['name,country_code,requested_limit', 'Acme GmbH,DE,1000']);
  await drop('q4.csv', lines);
  await takeIn();
  await cancelRows({ portfolio: 'q4' }, context);
  await drop('q4.csv', lines);
  expect((await takeIn()).files).toMatchObject([
    {
      is: 'again',
      words: expect.stringContaining('1 row is cancelled and stays so: npx limitline import FILE --portfolio "q4" '),
    },
  ]);
});

// Promise: earlier-content-not-silent
test('a dropped file is rejected with a reason if another file of its name was imported after it', async () => {
  const { drop, takeIn, report, ...place } = await openInbox();
  const lines = (amount: number) => [
    'name,country_code,requested_limit,request_reference',
    `Acme GmbH,DE,${amount},R1`,
  ];
  const take = async (amount: number, name = 'q4.csv') => {
    await drop(name, text(lines(amount)));
    return (await takeIn()).files;
  };
  expect(await take(1_000)).toMatchObject([{ is: 'imported' }]);
  expect(await take(1_000)).toMatchObject([{ is: 'again' }]);
  expect(await take(2_000, '20261122T013000Z-q4.csv')).toMatchObject([{ is: 'imported' }]);
  const words = expect.stringMatching(
    /another file of this name came after it, whose lines count.* import FILE --portfolio "q4"/,
  );
  expect(await take(1_000)).toMatchObject([{ is: 'rejected', words }]);
  expect(await report()).toMatchObject({ inAllRows: '2000.00' });
  // Once a person imported it, it is the last one.
  await place.import(lines(1_000));
  expect(await take(1_000)).toMatchObject([{ is: 'again' }]);
});

test('advice of the service is in the list of problems, without a notice', async () => {
  const { drop, takeIn, read, told } = await openInbox();
  await drop('q4.csv', text(['name,country_code,requested_limit,currency', 'Acme GmbH,DE,800000,USD']));
  expect((await takeIn()).files).toMatchObject([
    { found: { rows: 1, warnings: 0 }, words: expect.not.stringContaining('warning') },
  ]);
  expect(await read('done', 'q4.problems.csv')).toContain('Warning: Above USD 750k, audited statements');
  expect(told.filter(({ notice }) => notice)).toEqual([]);
});

test('the result of a dropped file counts the rows that it lacks, and gives the command that cancels them', async () => {
  const { drop, takeIn } = await openInbox();
  const [header, acme, beta] = ['name,country_code,requested_limit', 'Acme GmbH,DE,1000', 'Beta GmbH,DE,2000'];
  await drop('q4.csv', text([header, acme, beta]));
  await takeIn();
  await drop('q4.csv', text([header, acme]));
  const words =
    '1 row of an earlier import has no valid line in this file, and stays as it is; npx limitline import FILE --portfolio "q4" --replace cancels it.';
  expect((await takeIn()).files).toMatchObject([{ words: expect.stringContaining(words) }]);
});

test('no errors file is written if no line needs correction any more', async () => {
  const { drop, takeIn, names, context, import: bring } = await openInbox();
  const [header, beta] = ['name,country_code,requested_limit', 'Beta GmbH,DE,2000'];
  await drop('q4.csv', text([header, 'Acme GmbH,DE,many', beta]));
  await takeIn();
  await bring([header, 'Acme GmbH,DE,1000', beta]);
  await cancelRows({ portfolio: 'q4' }, context);
  expect((await takeIn()).results).toEqual(['q4']);
  expect(await names('done')).toEqual(['<time>-q4.csv', '<time>-q4.problems.csv', '<time>-q4.results.csv']);
});

// Promise: lines-no-longer-named
test('the result of a dropped file counts the faulty lines of the previous file that reports no longer show', async () => {
  const { context, drop, takeIn, told } = await openInbox();
  const header = 'name,country_code,requested_limit';
  await drop('q4.csv', text([header, 'Acme GmbH,DE,many', 'Beta GmbH,DE,2000']));
  await takeIn();
  await drop('q4.csv', text([header, 'Gamma GmbH,DE,10', 'Delta GmbH,DE,20']));
  const { files } = await takeIn();
  const words = '1 line of the file imported before this one led to no row: report and results no longer name it.';
  expect(files).toMatchObject([{ found: { rows: 2, gone: 1 }, words: expect.stringContaining(words) }]);
  expect((await context.inbox.read(files[0]?.id ?? ''))?.words).toContain(words);
  const facts = expect.arrayContaining([{ term: 'Faulty lines of the file before, no longer named', what: '1' }]);
  const title = 'A file of the drop folder took the place of one with faulty lines: q4.csv.';
  expect(told.at(-1)).toMatchObject({ notice: { title, facts } });
});

test('a results file dropped as a list of buyers is rejected with the name for decisions', async () => {
  const { drop, takeIn } = await openInbox();
  await drop(
    'x.decided.csv',
    text(['name,limitline_account,state,buyer_limit_id,status', 'Acme GmbH,,done,bl_1,approved']),
  );
  expect((await takeIn()).files).toMatchObject([
    { is: 'rejected', words: expect.stringContaining('under a name that ends in .decisions.csv or .decisions.xlsx.') },
  ]);
});
