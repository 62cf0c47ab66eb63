import { mkdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeDraftStore } from '../../../../jobs/drafts/draft-store.ts';
import { importPortfolio } from '../../../../jobs/import/import-portfolio.ts';
import { takenName } from '../../../../jobs/inbox/dropped-names.ts';
import { cancelRows } from '../../../../jobs/operators/cancel-rows.ts';
import type { FoundItem } from '../../../../src/ledger/nightly/checks.ts';
import { financeItems } from '../../../support/ledger.ts';
import { buyerLines, exportedText, importDepsOf, openWorkplace } from '../../../support/workplace.ts';

/** The findings about lines that the day's files contained and nobody requested. */
const unrequested = async (...night: Parameters<typeof financeItems>) =>
  (await financeItems(...night)).filter(({ check }) => check === 'not requested');

const shown = (items: readonly FoundItem[]) =>
  items.map(({ portfolio, line, name, requested, says, detail }) => [portfolio, line, name, requested, says, detail]);

const HEADER = 'name,country_code,company_registration_number,requested_limit,contact_email,supporting_documents';

// Promise: unrequested-lines-named
test('lines that led to no request are listed with the reason, until a later file requests the buyer', async () => {
  const place = await openWorkplace();
  const { context } = place;
  await place.import([
    HEADER,
    'Alpha GmbH,DE,HRB 1,1000,,',
    'Beta GmbH,DE,HRB 2,much,,',
    'Gamma GmbH,DE,HRB 3,3000,anna.private,',
    'Alpha GmbH,DE,HRB 1,1000,,',
    'Delta GmbH,DE,HRB 4,4000,,none.pdf',
    ',DE,HRB 5,5000,,',
  ]);
  const items = await unrequested(context);
  expect(shown(items)).toEqual([
    ['q4', 3, 'Beta GmbH', undefined, 'the line is invalid: requested_limit', expect.stringMatching(/^q4\.csv: ./)],
    // The content of contact cells is not shown.
    ['q4', 4, 'Gamma GmbH', '3000', 'the line is invalid: contact_email', 'q4.csv'],
    [
      'q4',
      6,
      'Delta GmbH',
      '4000',
      'the line was invalid when it was imported',
      expect.stringMatching(/^q4\.csv: supporting_documents: ./),
    ],
    ['q4', 7, undefined, '5000', 'the line is invalid: name', expect.stringMatching(/^q4\.csv: ./)],
  ]);
  expect(new Set(items.map(({ command }) => command))).toEqual(new Set(['report q4 --format errors-csv']));
  expect(JSON.stringify(items)).not.toContain('anna.private');
  // The check covers neither the day before yesterday nor the time before the previous check.
  expect(await unrequested(context, { atMs: Date.now() + 26 * 3_600_000 })).toEqual([]);

  // The check stops with the night.
  await expect(unrequested(context, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'STOPPED' });

  // One line is corrected in another file, and one is requested in another portfolio.
  await place.importFile(await written(place.dir, 'mended.csv', [HEADER, 'Beta GmbH,DE,HRB 2,2000,,']));
  await place.import([HEADER, 'Delta GmbH,DE,HRB 4,4000,,'], { portfolio: 'q5' });
  const left = await unrequested(context);
  expect(left.map(({ line }) => line)).toEqual([4, 7]);
  // The errors file has only the lines of the last file, so the command is a check of the first.
  expect(new Set(left.map(({ command }) => command))).toEqual(new Set(['check "q4.csv" --portfolio "q4"']));
  // The whole file is imported again with corrections. Of the last line, only the name is new.
  const mended = ['Alpha GmbH 1', 'Beta GmbH 2', 'Gamma GmbH 3', 'Alpha GmbH 1', 'Delta GmbH 4', 'E 5'];
  await place.import([HEADER, ...mended.map((one) => one.replace(/ (\d)$/, ',DE,HRB $1,$1000,,'))]);
  expect(await unrequested(context)).toEqual([]);

  // No sum includes an amount of another currency.
  await place.import(['name,requested_limit,currency', 'F,6000,EUR', 'G,7000,USD'], { portfolio: 'q6' });
  expect(shown(await unrequested(context))).toMatchObject([
    ['q6', 3, 'G', undefined, 'the line is invalid: currency', expect.anything()],
  ]);
});

async function written(dir: string, name: string, lines: readonly string[]): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, `${lines.join('\n')}\n`);
  return path;
}

// Promise: mended-line-stays-mended
test('a line in an errors file is listed once, with that file, and a line missing there with its own file', async () => {
  const place = await openWorkplace();
  const { context } = place;
  const file = [
    HEADER,
    'Alpha GmbH,DE,HRB 1,1000,,',
    'Beta GmbH,DE,HRB 2,much,,',
    'Gamma GmbH,DE,HRB 3,x,,',
    ',DE,HRB 4,4,,',
  ];
  await place.import(file);
  const [header = '', , beta = '', gamma = ''] = (await exportedText(context, { only: 'errors' })).split('\r\n');
  const again = [header, beta, gamma.replace('HRB 3,x', 'HRB 33,y')];
  await place.importFile(await written(place.dir, 'q4.errors.csv', again));
  const told = async () =>
    (await unrequested(context)).map(({ line, name, detail }) => [line, name, detail?.split(':')[0]]);
  expect(await told()).toEqual([
    [5, undefined, 'q4.csv'],
    [2, 'Beta GmbH', 'q4.errors.csv'],
    [3, 'Gamma GmbH', 'q4.errors.csv'],
  ]);
  // The correction gives the line another buyer than its cells had.
  await place.importFile(await written(place.dir, 'second.csv', [header, gamma.replace('HRB 3,x', 'HRB 34,3')]));
  expect(await told()).toEqual([
    [5, undefined, 'q4.csv'],
    [2, 'Beta GmbH', 'q4.errors.csv'],
  ]);
  // The original file is imported again. Its lines replace those of the errors file, except the requested one.
  await place.import(file);
  expect(await told()).toEqual([
    [3, 'Beta GmbH', 'q4.csv'],
    [5, undefined, 'q4.csv'],
  ]);
});

// Promise: broken-import-lines-named
test('lines after the end of an interrupted import are listed, except those that already have a row', async () => {
  const place = await openWorkplace();
  const { context } = place;
  // This buyer is known by name and country only. The file below adds numbers.
  await place.import(['name,country_code,requested_limit', 'Buyer 510 GmbH,DE,1510.50'], { portfolio: 'early' });
  const path = await written(place.dir, 'q4.csv', buyerLines(520));
  const stop = new AbortController();
  const onBatch = ({ lines }: { lines: number }) => {
    if (lines > 0) stop.abort();
  };
  const payload = { portfolio: 'q4', path, reading: {}, replace: false };
  const deps = { ...importDepsOf(context), onBatch, stopping: stop.signal };
  await expect(importPortfolio(payload, deps)).rejects.toMatchObject({ code: 'STOPPED' });

  const items = await unrequested(context);
  const rows = (await context.portfolios.read('q4')).states.queued;
  expect(rows).toBeGreaterThan(0);
  expect(items.length).toBe(520 - rows - 1);
  expect(items.at(-1)).toEqual({
    check: 'not requested',
    portfolio: 'q4',
    line: 521,
    name: 'Buyer 520 GmbH',
    requested: '1520.5',
    says: 'its import broke off before it',
    detail: 'q4.csv',
    isMended: false,
    command: 'import FILE --portfolio q4',
  });
  expect(items.map(({ name }) => name)).not.toContain('Buyer 510 GmbH');
  // The same file finishes the import.
  await place.importFile(path);
  expect(await unrequested(context)).toEqual([]);
});

test('lines imported before a portfolio was cancelled are not listed', async () => {
  const place = await openWorkplace();
  const { context } = place;
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000,,', 'Beta GmbH,DE,HRB 2,much,,']);
  expect(await unrequested(context)).toHaveLength(1);
  await cancelRows({ portfolio: 'q4', by: 'test' }, context);
  expect(await unrequested(context)).toEqual([]);
  await place.import([HEADER, 'Gamma GmbH,DE,HRB 3,much,,']);
  expect((await unrequested(context)).map(({ name }) => name)).toEqual(['Gamma GmbH']);
});

// Promise: refused-uploads-named
test('lines of files refused in the console or left in or rejected by the drop folder are listed', async () => {
  const { dir, ...place } = await openWorkplace();
  const inbox = join(dir, 'inbox');
  await mkdir(join(inbox, 'rejected'), { recursive: true });
  const context = { ...place.context, settings: { ...place.context.settings, LIMITLINE_INBOX: inbox } };
  const atMs = Date.UTC(2030, 0, 2, 1, 30);
  await place.import(buyerLines(2));

  const store = makeDraftStore({ dir: join(context.settings.LIMITLINE_DATA, 'drafts') });
  const keep = async (name: string, lines: readonly string[], endedMs: number, isRefused = true, madeMs = endedMs) => {
    const incoming = await store.begin();
    await written(incoming.dir, 'v1', lines);
    const version = { number: 1, sha256: '', sizeBytes: 1, madeMs, mended: 0, cells: [], leftOut: [] };
    const ended = { atMs: endedMs, lines: 0, rows: 0, invalid: 0, duplicate: 0, faults: ['no'] };
    const refused = { portfolio: 'up', version: 1, replace: false, beganMs: endedMs, ended, fault: null };
    const known = {
      ...{ form: null, keptFrom: null, offered: null, readBy: [], authors: [] },
      submitted: isRefused ? refused : null,
      ...{ supplier: null, isArchive: false, documents: [] },
    };
    await incoming.keep({ name, uploadedMs: madeMs, versions: [version], reading: {}, portfolio: 'up', ...known });
  };
  await keep('up.csv', buyerLines(5), atMs - 1);
  // The time of the refusal counts, not of the upload.
  await keep('up.csv', buyerLines(3), atMs, true, atMs - 40 * 3_600_000);
  // An upload that nobody submitted needs no action.
  await keep('looked-at.csv', buyerLines(7), atMs, false);
  await keep('old.csv', buyerLines(9), atMs - 40 * 3_600_000);
  // Two files taken at the same moment get such names.
  const second = `${takenName('no.csv', Date.parse('2030-01-01T20:30:01Z'), 2)}.csv`;
  await written(join(inbox, 'rejected'), '20300101T203000Z-in.csv', ['name;requested_limit', 'Drop AG;700', 'X AG;y']);
  await written(join(inbox, 'rejected'), '20300101T203000Z-in.problems.csv', ['name;requested_limit', 'Beside AG;1']);
  await written(join(inbox, 'rejected'), second, ['this is', 'no list']);
  await written(join(inbox, 'rejected'), '20291230T203000Z-then.csv', ['name;requested_limit', 'Then AG;1']);
  // Links and folders are ignored.
  await symlink(join(dir, 'q4.csv'), join(inbox, 'rejected', '20300101T203002Z-link.csv'));
  await mkdir(join(inbox, 'rejected', '20300101T203003Z-folder.csv'));
  const longAgo = new Date(atMs - 7_200_000);
  const [lying, fresh] = [await written(inbox, 'lying.csv', buyerLines(1)), join(inbox, 'fresh.csv')];
  await written(inbox, '.hidden.csv', buyerLines(5));
  await writeFile(fresh, 'name,requested_limit\nFresh AG,1\n');
  await utimes(lying, longAgo, longAgo);
  await utimes(fresh, new Date(atMs), new Date(atMs));
  await writeFile(join(inbox, 'new.csv.part'), 'name,requested_limit\nPart AG,1\n');

  expect(shown(await unrequested(context, { atMs }))).toEqual([
    // The import above requested the first two lines of this file.
    ['up', 4, 'Buyer 3 GmbH', '1003.5', 'its file was submitted in the console and refused', 'up.csv'],
    ['', 2, 'Drop AG', '700', 'its file was rejected by the drop folder', '20300101T203000Z-in.csv'],
    [
      '',
      3,
      'X AG',
      undefined,
      'the line is invalid: requested_limit',
      expect.stringMatching(/^20300101T203000Z-in\.csv: ./),
    ],
    [
      '',
      undefined,
      undefined,
      undefined,
      'its file was rejected by the drop folder, and cannot be read as a list of buyers',
      second,
    ],
  ]);
  // Nobody requested this buyer yet.
  await written(inbox, 'lying.csv', ['name,requested_limit', 'Lying AG,1']);
  await utimes(lying, longAgo, longAgo);
  expect(shown(await unrequested(context, { atMs })).at(-1)).toEqual([
    '',
    2,
    'Lying AG',
    '1',
    'its file lies in the drop folder and was not taken',
    'lying.csv',
  ]);
  // This file was taken, and the disk was full afterwards.
  const stuck = join(inbox, '.taken', 'a', '20300101T233000Z.2-stuck');
  await mkdir(stuck, { recursive: true });
  await written(stuck, 'file.csv', ['name,requested_limit', 'Stuck AG,1']);
  await written(stuck, 'problems.csv', ['name,requested_limit', 'Beside AG,1']);
  expect(shown(await unrequested(context, { atMs })).at(-1)).toEqual([
    '',
    2,
    'Stuck AG',
    '1',
    'its file was taken from the drop folder and not imported yet',
    '20300101T233000Z.2-stuck.csv',
  ]);
  expect(
    await unrequested({ ...context, settings: { ...context.settings, LIMITLINE_INBOX: join(dir, 'none') } }, { atMs }),
  ).toHaveLength(1);
});

// Promise: waiting-rows-named
test('rows that wait for approval or in a paused portfolio are listed until they are sent', async () => {
  const place = await openWorkplace({ env: { APPROVE_ABOVE: '2000' } });
  const { context } = place;
  await place.import(buyerLines(2));
  await place.import(buyerLines(1), { portfolio: 'sent' });
  const command = expect.stringMatching(/^approve q4 --as USER --approval \S+$/);
  expect((await unrequested(context)).map(({ name, says, command }) => [name, says, command])).toEqual([
    ['Buyer 1 GmbH', "it waits for another person's approval", command],
    ['Buyer 2 GmbH', "it waits for another person's approval", command],
  ]);
  await context.portfolios.pause('sent', 'by somebody');
  const paused = (await unrequested(context)).filter(({ portfolio }) => portfolio === 'sent');
  expect(paused.map(({ says, command }) => [says, command])).toEqual([['its portfolio is paused', 'resume sent']]);
  const [first] = await context.rows.inState('sent', 'queued', { count: 1 });
  if (!first) throw new Error('no row waits');
  await context.rows.advance(first.row, 'queued', 'refused', {});
  expect((await unrequested(context)).map(({ name }) => name)).toEqual(['Buyer 2 GmbH']);
});

test('a file whose stored copy is missing is reported as one finding with the number of its lines', async () => {
  const place = await openWorkplace();
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000,,', 'Beta GmbH,DE,HRB 2,much,,', 'Gamma GmbH,DE,HRB 3,x,,']);
  const elsewhere = { ...place.context.imports, open: () => place.context.documents.open('0'.repeat(64)) };
  const items = await unrequested({ ...place.context, imports: elsewhere });
  expect(items).toEqual([
    {
      check: 'not requested',
      portfolio: 'q4',
      says: 'lines led to no request, and the copy of their file cannot be read here',
      detail: 'q4.csv',
      rows: 2,
      isMended: false,
      command: 'report q4 --format errors-csv',
    },
  ]);
});
