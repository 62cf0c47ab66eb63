import { appendFile, readdir, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeNamedMappings } from '../../../jobs/drafts/kept-mappings.ts';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { makeSecret } from '../../../src/people/secret.ts';
import { openInbox } from '../../support/inbox.ts';
import { writeZip } from '../../support/workbooks.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: string[]) => `${lines.join('\n')}\n`;
const PDF = '%PDF-1.4\n% nothing\n';
const WITH_DOCUMENT = text([
  'name,country_code,company_registration_number,requested_limit,supporting_documents',
  'Muster GmbH,DE,HRB 1,1000.50,accounts.pdf',
]);

test('a dropped file is imported into the portfolio of its name, and is moved to done', async () => {
  const { drop, takeIn, names, report, context, told } = await openInbox();
  await drop('q4.csv', text(buyerLines(3)));
  const { files, lying } = await takeIn();
  expect(files).toMatchObject([{ name: 'q4.csv', portfolio: 'q4', is: 'imported', found: { lines: 3, rows: 3 } }]);
  expect(lying).toEqual([]);
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  expect(await names('done')).toEqual(['<time>-q4.csv']);
  expect(await report()).toMatchObject({ lines: 3, rows: 3 });
  expect((await context.portfolios.read('q4')).file).toMatchObject({ fileName: 'q4.csv' });
  expect(told).toMatchObject([{ state: 'well' }]);
  expect(await takeIn()).toEqual({ files: [], lying: [], results: [], isElsewhere: false });
});

// Promise: other-secret-starts-nothing
test('a host with another secret refuses to import, and leaves the file for a host with the right one', async () => {
  const { drop, takeIn, names, source, context } = await openInbox();
  const { ledger: connection, settings } = context;
  const prefix = settings.LIMITLINE_PREFIX;
  await context.secret.key('audit');
  await drop('q4.csv', text(buyerLines(3)));
  const secret = makeSecret({
    given: 'a-secret-of-another-installation',
    dataDir: settings.LIMITLINE_DATA,
    connection,
    keys: makeSharedKeys(prefix),
    prefix,
    where: 'this Redis',
  });
  await expect(takeIn(undefined, { ...source, secret })).rejects.toThrow(/^The secret of this host is not the one/);
  expect(await names()).toEqual(['q4.csv']);
  expect(await context.inbox.lately(1)).toEqual([]);
  expect((await takeIn()).files).toMatchObject([{ name: 'q4.csv', is: 'imported' }]);
});

test('invalid lines are listed in a file beside it, with the same separator', async () => {
  const { drop, takeIn, read, names, told } = await openInbox();
  const lines = buyerLines(2).map((line) => line.replaceAll(',', ';'));
  await drop('q4.csv', text([...lines, '=A1 GmbH;DE;HRB 9;none']));
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { lines: 3, rows: 2, invalid: 1 } }]);
  expect(await names('done')).toEqual(['<time>-q4.csv', '<time>-q4.problems.csv']);
  expect(await read('done', 'problems.csv')).toMatch(/^line;column;value;problem\n4;requested_limit;none;.+\n$/);
  expect(told).toMatchObject([{ notice: { kind: 'inbox', path: '/portfolios/q4' } }]);
});

// Promise: unfinished-files-wait
test('a file is not imported while it is being written', async () => {
  const { drop, takeIn, inbox, names, report } = await openInbox();
  const path = await drop('q4.csv', text(buyerLines(2)));
  const { files, lying } = await takeIn(() => appendFile(path, 'Late GmbH,DE,HRB 77,5000\n'));
  expect(files).toEqual([]);
  expect(lying).toMatchObject([{ name: 'q4.csv', leftMs: 5_000 }]);
  expect(await names()).toContain('q4.csv');
  await takeIn();
  expect(await readdir(inbox)).not.toContain('q4.csv');
  // One line was added whenever time passed.
  expect((await report()).lines).toBeGreaterThan(10);
});

// Promise: half-a-line-waits
test('a text without a final line break waits for a minute, because its last line may be incomplete', async () => {
  const { drop, takeIn } = await openInbox();
  await drop('q4.csv', text(buyerLines(2)).trimEnd());
  const waited: number[] = [];
  expect((await takeIn((ms) => waited.push(ms))).files).toMatchObject([{ is: 'imported' }]);
  expect(waited.reduce((sum, ms) => sum + ms)).toBe(60_000);
});

test('an empty file waits for its content', async () => {
  const { drop, takeIn, told } = await openInbox();
  const path = await drop('q4.csv', '');
  expect(await takeIn()).toMatchObject({ files: [], lying: [{ name: 'q4.csv', leftMs: undefined }] });
  expect(told).toMatchObject([
    { state: expect.stringMatching(/^left: it is empty/), notice: { title: expect.stringContaining('q4.csv') } },
  ]);
  await appendFile(path, text(buyerLines(1)));
  expect((await takeIn()).files).toMatchObject([{ is: 'imported' }]);
});

test('a waiting file sends one notice, and a file of the same name with another time sends its own', async () => {
  const { drop, takeIn, told } = await openInbox();
  const states = async (writtenAt: string) => {
    const written = new Date(writtenAt);
    await utimes(await drop('q4.csv', ''), written, written);
    await takeIn();
    await takeIn();
    return new Set(told.map(({ state }) => state)).size;
  };
  expect(await states('2026-11-20T01:00:00Z')).toBe(1);
  expect(await states('2026-11-21T01:00:00Z')).toBe(2);
});

test('documents are imported from a folder or a ZIP file of the same name', async () => {
  const { inbox, drop, takeIn, names, settled, work, standIn } = await openInbox();
  await drop('folder/accounts.pdf', PDF);
  await drop('folder.csv', WITH_DOCUMENT);
  await writeZip(join(inbox, 'Züge.zip'.normalize('NFD')), { 'accounts.pdf': PDF });
  await drop('Züge.csv', WITH_DOCUMENT.replace('1000.50', '2000.50'));
  await drop('none.csv', WITH_DOCUMENT.replace('1000.50', '3000.50'));
  const { files } = await takeIn();
  expect(files.map(({ portfolio, found }) => [portfolio, found?.rows]).sort()).toEqual([
    ['Züge', 1],
    ['folder', 1],
    ['none', 0],
  ]);
  expect(await names()).toEqual(['.taken', 'done', 'rejected']);
  expect(await names('done')).toEqual(
    expect.arrayContaining(['<time>-folder', '<time>-folder.csv', '<time>-Züge.zip', '<time>-none.problems.csv']),
  );
  await work();
  await settled('folder');
  expect(standIn.counts().made.document).toBe(1);
});

// Promise: unfinished-files-wait
test('a file waits while its documents are still being copied', async () => {
  const { inbox, drop, takeIn } = await openInbox();
  await drop('q4.csv', WITH_DOCUMENT);
  await drop('q4/accounts.pdf', '%PDF');
  const { files, lying } = await takeIn(() => appendFile(join(inbox, 'q4', 'accounts.pdf'), '\n'));
  expect([files, lying]).toMatchObject([[], [{ name: 'q4.csv' }]]);
});

// Promise: same-file-again-noted
test('the same content again is only noted, and the same file with other documents is imported', async () => {
  const { drop, takeIn, read, context } = await openInbox();
  await drop('q4.csv', WITH_DOCUMENT);
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { invalid: 1 } }]);
  await drop('q4 (1).csv', WITH_DOCUMENT);
  expect((await takeIn()).files).toMatchObject([{ is: 'again' }]);
  expect(await read('done', 'note.txt')).toMatch(/^Nothing was done: .* portfolio q4 before \(q4\.csv, /);
  expect(await context.portfolios.names()).toEqual(['q4']);
  await drop('q4/accounts.pdf', PDF);
  await drop('q4.csv', WITH_DOCUMENT);
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { rows: 1 } }]);
});

// Promise: one-process-takes-files
test('two processes on one folder import a file once', async () => {
  const { drop, takeIn, source, context, names } = await openInbox();
  await drop('q4.csv', text(buyerLines(50)));
  const [one, other] = await Promise.all([takeIn(), takeIn(() => {}, { ...source, processId: 'other' })]);
  expect([...one.files, ...other.files]).toHaveLength(1);
  expect(await context.portfolios.read('q4')).toMatchObject({ states: { queued: 50 }, begun: 1 });
  expect(await names('done')).toHaveLength(1);
});

// Promise: imports-wait-for-approval
test('a dropped file waits for approval like any other', async () => {
  const { drop, takeIn, context } = await openInbox({ env: { APPROVE_ALWAYS: 'on' } });
  await drop('q4.csv', text(buyerLines(2)));
  expect((await takeIn()).files).toMatchObject([{ words: expect.stringContaining('2 rows wait for approval') }]);
  expect(await context.approvals.waiting()).toMatchObject([{ portfolio: 'q4', rows: 2 }]);
});

const ODD = text(['Firma,Land,HR,Betrag', 'Muster GmbH,DE,HRB 1,1000']);
const READING = {
  mapping: {
    columns: { Firma: 'name', Land: 'country_code', HR: 'company_registration_number', Betrag: 'requested_limit' },
    constants: {},
  },
} as const;

test('a dropped file is read with the mapping of LIMITLINE_INBOX_MAPPING', async () => {
  const { drop, takeIn, settings, names } = await openNamed('bank');
  await drop('q4.csv', ODD);
  // The mapping does not exist yet, so no file is rejected.
  await expect(takeIn()).rejects.toThrow(/There is no mapping "bank"; none was kept yet\. .* mapping keep "bank" FILE/);
  expect(await names()).toContain('q4.csv');
  const mappings = makeNamedMappings({ dataDir: settings.LIMITLINE_DATA });
  await mappings.keep({ name: 'bank', file: 'old.csv', keptMs: 1, by: ['ann'], reading: READING });
  expect((await takeIn()).files).toMatchObject([{ is: 'imported', found: { rows: 1 } }]);
});

// Promise: mapped-fields-are-said
test('the result lists the columns that a mapping sends by path', async () => {
  const { drop, takeIn, settings } = await openNamed('bank');
  const reading = { mapping: { columns: { PLZ: 'company.address.postal_code' }, constants: {} } } as const;
  const mappings = makeNamedMappings({ dataDir: settings.LIMITLINE_DATA });
  await mappings.keep({ name: 'bank', file: 'old.csv', keptMs: 1, by: ['ann'], reading });
  await drop('q4.csv', text(['name,country_code,requested_limit,PLZ', 'Muster GmbH,DE,1000,01234']));
  const [file] = (await takeIn()).files;
  expect(file?.words).toMatch(
    / duplicate\. Sent, although the service's document does not show these fields: PLZ as company\.address\.postal_code\.$/,
  );
});

async function openNamed(name: string) {
  const opened = await openInbox({ env: { LIMITLINE_INBOX_MAPPING: name } });
  return { ...opened, settings: opened.context.settings };
}

// Promise: results-beside-dropped-file
test('results are written beside the file once, after its portfolio has settled', async () => {
  const { drop, takeIn, names, read, work, settled, inbox, context } = await openInbox();
  await drop('q4.csv', text([...buyerLines(2), 'Bad GmbH,DE,HRB 9,none']));
  await takeIn();
  expect(await names('done')).toHaveLength(2);
  await work();
  await settled();
  expect((await takeIn()).results).toEqual(['q4']);
  expect(await names('done')).toEqual([
    '<time>-q4.csv',
    '<time>-q4.errors.csv',
    '<time>-q4.problems.csv',
    '<time>-q4.results.csv',
  ]);
  const [file] = await context.inbox.lately(1);
  expect(file?.errors).toBe(file?.results?.replace('.results.', '.errors.'));
  const results = await read('done', 'q4.results.csv');
  expect(results).toContain('buyer_limit_');
  expect(results).toMatch(/Bad GmbH.*invalid/);
  for (const name of await readdir(join(inbox, 'done'))) await rm(join(inbox, 'done', name));
  expect((await takeIn()).results).toEqual([]);
  expect(await names('done')).toEqual([]);
});
