import { appendFile, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeInRound } from '../../../jobs/inbox/take-in.ts';
import { readInbox } from '../../../jobs/inbox/watch-inbox.ts';
import { openInbox } from '../../support/inbox.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;
const BUYERS = text(buyerLines(2));
const SUPPLIER = text(['name,country_code,city', 'Nordwind GmbH,DE,Bremen']);

// Promises: dropped-supplier-created-first, unsent-supplier-columns-named
test('a supplier file is imported with its buyers, and the supplier is created once for each account', async () => {
  const { drop, takeIn, names, work, settled, report, standIn, context } = await openInbox();
  await drop('q4.supplier.csv', SUPPLIER);
  await drop('q4.csv', BUYERS);
  await drop('q5.Supplier.CSV', SUPPLIER);
  await drop('q5.csv', BUYERS.replaceAll('GmbH', 'AG').replaceAll('HRB ', 'HRB 9'));
  expect((await takeIn()).files).toMatchObject([
    { portfolio: 'q4', is: 'imported', documents: ['q4.supplier.csv'] },
    { portfolio: 'q5', is: 'imported' },
  ]);
  await drop('q6.supplier.csv', 'name,Fax\nOther AG,\n');
  await drop('q6.csv', 'name,country_code,requested_limit\nSix GmbH,DE,5\n');
  const [{ words } = { words: '' }] = (await takeIn()).files;
  expect(words).toContain("Columns of the supplier's file that are not sent: Fax.");
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  expect((await names('done')).filter((name) => !name.includes('q6'))).toEqual([
    '<time>-q4.csv',
    '<time>-q4.supplier.csv',
    '<time>-q5.csv',
    // Its buyers differ from those of q4 only by the legal form.
    '<time>-q5.problems.csv',
    '<time>-q5.supplier.csv',
  ]);
  await work();
  await settled('q4');
  await settled('q5');
  await settled('q6');
  expect((await report()).supplier).toMatch(/^company_/);
  expect((await context.portfolios.read('q5')).supplier?.id).toBe((await report()).supplier);
  expect(standIn.counts().made.company).toBe(7);
});

test('the same buyers with another supplier are a new file, and with the same supplier a repeated one', async () => {
  const { drop, takeIn } = await openInbox();
  const takeWith = async (supplier: string | undefined) => {
    if (supplier) await drop('q4.supplier.csv', supplier);
    await drop('q4.csv', BUYERS);
    return (await takeIn()).files.map(({ is }) => is);
  };
  expect(await takeWith(undefined)).toEqual(['imported']);
  expect(await takeWith(SUPPLIER)).toEqual(['imported']);
  expect(await takeWith(SUPPLIER)).toEqual(['again']);
  expect(await takeWith(SUPPLIER.replace('Nordwind', 'Suedwind'))).toEqual(['imported']);
  // The first supplier again changes nothing, and the words explain why.
  await drop('q4.supplier.csv', SUPPLIER);
  await drop('q4.csv', BUYERS);
  expect((await takeIn()).files).toMatchObject([
    { is: 'again', words: expect.stringContaining('named another supplier for the portfolio (Suedwind GmbH)') },
  ]);
});

test('a file whose supplier file is empty waits, and is listed with the reason', async () => {
  const { drop, takeIn, source } = await openInbox();
  await drop('q4.csv', BUYERS);
  await drop('q4.supplier.csv', '');
  const why = 'of q4.supplier.csv: it is empty: it is taken when something was written into it';
  expect(await takeIn()).toMatchObject({ files: [], lying: [{ name: 'q4.csv', why }] });
  expect((await readInbox(source)).lying).toEqual([{ name: 'q4.csv', why }]);
  await drop('q4.supplier.csv', SUPPLIER);
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', documents: ['q4.supplier.csv'] }]);
});

// Promise: unfinished-files-wait
test('a file waits while its supplier file is still being written', async () => {
  const { drop, inbox, takeIn, context } = await openInbox();
  await drop('q4.csv', BUYERS);
  await writeFile(join(inbox, 'q4.supplier.csv'), 'name,country_code\nNordwind');
  const first = await takeIn((ms) => ms === 5_000 && appendFile(join(inbox, 'q4.supplier.csv'), ' '));
  expect(first.files).toEqual([]);
  expect(first.lying).toMatchObject([{ name: 'q4.csv', why: expect.stringMatching(/^of q4\.supplier\.csv: it was/) }]);
  await appendFile(join(inbox, 'q4.supplier.csv'), 'GmbH,DE\n');
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
  expect((await context.portfolios.read('q4')).supplier?.body).toMatchObject({ name: 'Nordwind GmbH' });
});

// Promise: bad-supplier-rejects
test.each([
  [
    'a cell that is wrong',
    'name,country_code\nNordwind,dex\n',
    /^The supplier in q4\.supplier\.csv cannot be used\. Line 2, country_code "dex": /,
  ],
  ['two lines', `${SUPPLIER}Other,DE,Bonn\n`, /q4\.supplier\.csv cannot be used\. The file has several lines/],
  ['more than 1 MB', `name\n${'x'.repeat(1_100_000)}\n`, /^q4\.supplier\.csv is larger than 1 MB/],
])('a file whose supplier has %s is rejected together with it', async (_, supplier, why) => {
  const { drop, takeIn, names, read, context, told } = await openInbox();
  await drop('q4.supplier.csv', supplier);
  await drop('q4.csv', BUYERS);
  expect((await takeIn()).files).toMatchObject([{ is: 'rejected', words: expect.stringMatching(why) }]);
  expect(await names('rejected')).toEqual(['<time>-q4.csv', '<time>-q4.problems.txt', '<time>-q4.supplier.csv']);
  expect(await read('rejected', 'q4.problems.txt')).toMatch(why);
  expect(await context.portfolios.names()).toEqual([]);
  expect(told).toMatchObject([{ notice: { kind: 'inbox', title: expect.stringContaining('q4.csv') } }]);
});

// Promise: bad-supplier-rejects
test('a file is rejected if its supplier file is a link, or if it has two', async () => {
  const { drop, inbox, takeIn, names } = await openInbox();
  await drop('real.txt', SUPPLIER);
  await symlink(join(inbox, 'real.txt'), join(inbox, 'q4.supplier.csv'));
  await drop('q4.csv', BUYERS);
  await drop('q5.supplier.csv', SUPPLIER);
  await drop('q5.supplier.xlsx', SUPPLIER);
  await drop('q5.csv', BUYERS);
  expect((await takeIn()).files.map(({ is, words }) => [is, words])).toEqual([
    ['rejected', 'q4.supplier.csv is a link, and links are not followed: drop the file itself.'],
    ['rejected', expect.stringMatching(/^Beside q5\.csv lay q5\.supplier\.\w+ as well as q5\.supplier\.\w+: drop it/)],
  ]);
  expect(await names()).toEqual(['.taken', 'done', 'real.txt', 'rejected']);
});

// Promise: late-supplier-told-of
test('a supplier file dropped late waits with a notice, and is imported when its buyers are dropped again', async () => {
  const { drop, takeIn, told, source, context } = await openInbox();
  await drop('q4.csv', BUYERS);
  await takeIn();
  await drop('q4.supplier.csv', SUPPLIER);
  const why = expect.stringMatching(
    /^it names the supplier for q4\.csv or q4\.xlsx, .* it waits until that file is dropped.*drop that file again$/,
  );
  const waited: number[] = [];
  const lying = [{ name: 'q4.supplier.csv', why }];
  expect(await takeIn((ms) => waited.push(ms))).toMatchObject({ files: [], lying });
  expect(waited.reduce((sum, ms) => sum + ms)).toBe(60_000);
  expect(told.at(-1)?.notice).toMatchObject({
    title: expect.stringContaining('q4.supplier.csv'),
    facts: [{ what: why }],
  });
  expect((await readInbox(source)).lying).toEqual(lying);
  await drop('q4.csv', BUYERS);
  expect(await takeIn()).toMatchObject({ files: [{ is: 'imported' }], lying: [] });
  expect((await context.portfolios.read('q4')).supplier?.body).toMatchObject({ name: 'Nordwind GmbH' });
});

// Promise: unfinished-supplier-waits
test.each(['.part', '.filepart'])('a file waits while its supplier file has the ending %s', async (ending) => {
  const { drop, inbox, takeIn, context } = await openInbox();
  const [whole, part] = [join(inbox, 'q4.supplier.csv'), join(inbox, `q4.supplier.csv${ending}`)];
  await writeFile(part, 'name,country_code\nNordw');
  await drop('q4.csv', BUYERS);
  expect(await takeIn(() => appendFile(part, 'i'))).toMatchObject({ files: [], lying: [{ name: 'q4.csv' }] });
  const lying = [
    { name: 'q4.csv', leftMs: undefined, why: expect.stringMatching(/^its supplier's file is not complete/) },
  ];
  expect(await takeIn()).toMatchObject({ files: [], lying });
  await writeFile(part, SUPPLIER);
  await rename(part, whole);
  await writeFile(`${whole}~`, SUPPLIER);
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', documents: ['q4.supplier.csv'] }]);
  expect((await context.portfolios.read('q4')).supplier?.body).toMatchObject({ name: 'Nordwind GmbH' });
});

// Promise: vanished-supplier-rejects
test.each(['goes away', 'is replaced', 'is written to'])(
  'a file is rejected if its supplier file %s before it is taken',
  async (change) => {
    const { drop, inbox, takeIn, source, context } = await openInbox();
    const path = await drop('q4.supplier.csv', SUPPLIER);
    await drop('q4.csv', BUYERS);
    let isChanged = false;
    const note: typeof source.inbox.note = async (file) => {
      if (!isChanged) {
        isChanged = true;
        if (change === 'goes away') await rm(path);
        else if (change === 'is replaced') await drop('q4.supplier.csv', SUPPLIER.replace('Nord', 'Sued'));
        else await appendFile(path, '\n');
      }
      return source.inbox.note(file);
    };
    const { files } = await takeIn(undefined, { ...source, inbox: { ...source.inbox, note } });
    const words = expect.stringMatching(
      /^q4\.supplier\.csv lay beside q4\.csv and was removed.*: drop q4\.csv again with it/,
    );
    expect(files).toMatchObject([{ is: 'rejected', words }]);
    expect(await context.portfolios.names()).toEqual([]);
    expect((await readdir(inbox)).includes('q4.supplier.csv')).toBe(change !== 'goes away');
  },
);

test.each(['stays', 'has another supplier'])(
  'a file whose process was killed before its supplier was taken gets its own supplier (the next file %s)',
  async (next) => {
    const { drop, round, source, takeIn, context } = await openInbox();
    await drop('q4.supplier.csv', SUPPLIER);
    await drop('q4.csv', BUYERS);
    const deps = await round({ ...source, processId: 'killed' });
    const taken = { ...deps.taken, takeBeside: () => Promise.reject(new Error('killed')) };
    await expect(takeInRound({ ...deps, taken })).rejects.toThrow('killed');
    if (next === 'stays') {
      expect((await takeIn()).files).toMatchObject([{ is: 'imported', documents: ['q4.supplier.csv'] }]);
      return;
    }
    await drop('q4.supplier.csv', SUPPLIER.replace('Nordwind', 'Suedwind'));
    await drop('q4.csv', text([...buyerLines(2), 'Third GmbH,DE,HRB 77,500']));
    expect((await takeIn()).files.map(({ is }) => is)).toEqual(['rejected', 'imported']);
    expect((await context.portfolios.read('q4')).supplier?.body).toMatchObject({ name: 'Suedwind GmbH' });
  },
);

// Promise: dropped-supplier-created-first
test.each(['q4.Supplier.csv', 'q4.supplier.xlsx'])(
  'a file that grows is imported with the supplier %s dropped since',
  async (name) => {
    const { drop, inbox, takeIn } = await openInbox();
    await drop('q4.supplier.csv', SUPPLIER);
    await drop('q4.csv', BUYERS);
    await takeIn();
    await drop(name, SUPPLIER.replace('Bremen', 'Berlin'));
    const [done = ''] = (await readdir(join(inbox, 'done'))).filter((one) => one.endsWith('q4.csv'));
    await appendFile(join(inbox, 'done', done), 'Third GmbH,DE,HRB 77,500\n');
    expect((await takeIn()).files).toMatchObject([{ documents: [name] }]);
  },
);
