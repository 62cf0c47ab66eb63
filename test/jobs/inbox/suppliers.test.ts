import { appendFile, mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeInRound } from '../../../jobs/inbox/take-in.ts';
import { readInbox } from '../../../jobs/inbox/watch-inbox.ts';
import { openInbox } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;
const CSV = text(buyerLines(2));
const SUPPLIER = 'name,country_code\nSupplier GmbH,DE\n';

test('a supplier is taken with the file of its buyers, goes where that goes, and its company comes first', async () => {
  const { drop, takeIn, names, context, work, settled, report } = await openInbox();
  await drop('q4.supplier.csv', SUPPLIER);
  await drop('q4.csv', CSV);
  const { files, lying } = await takeIn();
  expect(files).toMatchObject([{ name: 'q4.csv', portfolio: 'q4', is: 'imported', supplier: 'q4.supplier.csv' }]);
  expect(lying).toEqual([]);
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  expect(await names('done')).toEqual(['<time>-q4.csv', '<time>-q4.supplier.csv']);
  expect(await context.portfolios.names()).toEqual(['q4']);
  await work();
  await settled();
  expect(await report()).toMatchObject({ supplier: expect.stringMatching(/^company_/), states: { done: 2 } });
  const { entries } = await context.audit.read.page({ count: 9, walk: 9, filter: { what: 'file imported' } });
  expect(entries.map(({ facts }) => facts)).toContainEqual(expect.objectContaining({ supplier: 'q4.supplier.csv' }));
});

test('a supplier alone waits, which is said, and is no portfolio', async () => {
  const { drop, takeIn, names, source, told, context } = await openInbox();
  await drop('Q4.SUPPLIER.csv', SUPPLIER);
  expect(await takeIn()).toMatchObject({ files: [], lying: [] });
  expect((await readInbox(source)).lying).toEqual([
    { name: 'Q4.SUPPLIER.csv', why: 'it is the supplier of Q4.csv, and waits for that file: both are taken together' },
  ]);
  expect(told).toEqual([]);
  await drop('Q4.csv', CSV);
  expect((await readInbox(source)).lying).toMatchObject([{ name: 'Q4.csv' }]);
  expect((await takeIn()).files).toMatchObject([{ name: 'Q4.csv', is: 'imported' }]);
  expect(await names('done')).toEqual(['<time>-Q4.csv', '<time>-Q4.supplier.csv']);
  expect((await context.portfolios.read('Q4')).supplier?.body).toMatchObject({ name: 'Supplier GmbH' });
  // A file of this whole name is an ordinary one.
  await drop('supplier.csv', CSV);
  expect((await takeIn()).files).toMatchObject([{ portfolio: 'supplier', is: 'imported' }]);
});

test.each([
  ['has several lines', 'name\nA\nB\n', 'The supplier in q4.supplier.csv cannot be used. It has several lines'],
  ['names none', 'name\n', 'The supplier in q4.supplier.csv cannot be used. It has no line'],
  ['is empty', '', 'The supplier in q4.supplier.csv cannot be used.'],
])('a supplier that %s keeps its buyers from being sent', async (_what, content, words) => {
  const { drop, takeIn, names, read, context } = await openInbox();
  await drop('q4.supplier.csv', content);
  await drop('q4.csv', CSV);
  const { files } = await takeIn();
  expect(files).toMatchObject([{ is: 'rejected', words: expect.stringContaining(words) }]);
  expect(files[0]?.words).toContain('Drop q4.supplier.csv again, and then q4.csv.');
  expect(await names('rejected')).toEqual(['<time>-q4.csv', '<time>-q4.problems.txt', '<time>-q4.supplier.csv']);
  expect(await read('rejected', 'problems.txt')).toContain(words);
  expect(await context.portfolios.names()).toEqual([]);
});

test('a supplier that is no file, or one of two, is not guessed at: the file of the buyers is rejected', async () => {
  const { drop, takeIn, inbox, names, context } = await openInbox();
  await drop('elsewhere', SUPPLIER);
  await symlink(join(inbox, 'elsewhere'), join(inbox, 'link.supplier.csv'));
  await mkdir(join(inbox, 'folder.supplier.csv'));
  await drop('two.supplier.csv', SUPPLIER);
  await drop('two.Supplier.csv', SUPPLIER);
  for (const name of ['link', 'folder', 'two']) await drop(`${name}.csv`, CSV);
  const { files } = await takeIn();
  const words = Object.fromEntries(files.map((file) => [file.name, `${file.is}: ${file.words}`]));
  expect(words['link.csv']).toMatch(/^rejected: link\.supplier\.csv, beside link\.csv, is not a file/);
  expect(words['folder.csv']).toMatch(/^rejected: folder\.supplier\.csv, beside folder\.csv, is not a file/);
  expect(words['two.csv']).toMatch(/^rejected: .*which of them is its supplier cannot be told/);
  expect(await context.portfolios.names()).toEqual([]);
  expect(await names()).toContain('two.supplier.csv');
});

test('a supplier that vanishes while it is taken keeps its buyers from being sent', async () => {
  const { drop, inbox, round, context } = await openInbox();
  await drop('q4.supplier.csv', SUPPLIER);
  await drop('q4.csv', CSV);
  const deps = await round();
  const takeFile: typeof deps.taken.takeFile = async (...args) => {
    await rm(join(inbox, 'q4.supplier.csv'));
    return deps.taken.takeFile(...args);
  };
  const { files } = await takeInRound({ ...deps, taken: { ...deps.taken, takeFile } });
  expect(files).toMatchObject([
    { is: 'rejected', words: expect.stringContaining('q4.supplier.csv, which lay beside it') },
  ]);
  expect(await context.portfolios.names()).toEqual([]);
});

test('nothing is sent for a dropped supplier before another person approves it with the file', async () => {
  const { drop, takeIn, context } = await openInbox({ env: { APPROVE_ALWAYS: 'on' } });
  await drop('q4.supplier.csv', SUPPLIER);
  await drop('q4.csv', CSV);
  await takeIn();
  expect(await context.portfolios.read('q4')).toMatchObject({ supplierAwaits: true, states: { awaiting: 2 } });
  const [asked] = await context.approvals.of('q4', 1);
  expect(asked).toMatchObject({ standing: 'waiting', supplier: 'Supplier GmbH' });
});

test('the same file with another supplier is another import, and with the same one it is none', async () => {
  const { drop, takeIn, context } = await openInbox();
  const dropped = async (supplier?: string) => {
    if (supplier !== undefined) await drop('q4.supplier.csv', supplier);
    await drop('q4.csv', CSV);
    return (await takeIn()).files.map(({ is }) => is);
  };
  expect(await dropped()).toEqual(['imported']);
  expect(await dropped(SUPPLIER)).toEqual(['imported']);
  expect(await dropped(SUPPLIER)).toEqual(['again']);
  expect(await dropped(SUPPLIER.replace('Supplier', 'Other'))).toEqual(['imported']);
  expect((await context.portfolios.read('q4')).supplier?.body).toMatchObject({ name: 'Other GmbH' });
});

test('a supplier comes back with a file that grew after it was taken', async () => {
  const { drop, takeIn, inbox, names, context } = await openInbox();
  await drop('q4.supplier.csv', SUPPLIER);
  await drop('q4.csv', CSV);
  await takeIn();
  const [name = ''] = (await readdir(join(inbox, 'done'))).filter((one) => one.endsWith('-q4.csv'));
  await appendFile(join(inbox, 'done', name), `${buyerLines(3).at(-1)}\n`);
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', supplier: 'q4.supplier.csv', found: { lines: 3 } }]);
  expect(await names('done')).toEqual(['<time>-q4.csv', '<time>-q4.supplier.csv']);
  expect((await context.portfolios.read('q4')).supplier?.key).toBeDefined();
});
