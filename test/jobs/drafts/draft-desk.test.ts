import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outlookDepsOf } from '../../../scripts/look/dry-run.ts';
import { makeEncoder } from '../../../src/table/encodings/encoders.ts';
import { draftOf, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { HEADER, writeWorkbook } from '../../support/workbooks.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const LINES = [
  'Firma;Land;HRB;Kreditlimit;Belege',
  'Müller GmbH;DE;HRB 1;1.250,50;audit.pdf',
  'Öztürk KG;DE;HRB 2;zwölf;',
  'Süd AG;DE;HRB 3;7,5;',
  'Müller GmbH;DE;HRB 1;1.250,50;audit.pdf',
  '',
];
const PDF = '%PDF-1.4\n%EOF\n';

// Promises: imported-as-previewed, preview-counts-new-requests, mended-cell-alone-changes
test('a file is uploaded, corrected and submitted, and exactly its preview is imported', async () => {
  const { context, dir, report } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const bytes = makeEncoder('windows-1252')(LINES.join('\r\n'));
  const draft = draftOf(await upload(['file', 'C:\\buyers\\Käufer Q4.csv', bytes], ['documents', 'audit.pdf', PDF]));
  expect(draft).toMatchObject({ name: 'Käufer Q4.csv', portfolio: 'Käufer Q4', documents: [{ name: 'audit.pdf' }] });

  const first = await previewOf(desk, draft);
  expect(first).toMatchObject({
    dialect: { encoding: 'windows-1252', delimiter: ';', lineBreak: '\r\n' },
    counts: { lines: 4, rows: 2, invalid: 1, duplicate: 1 },
    dryRun: { limits: 2, companies: 2, documents: 1, requested: '1258', before: { limits: 0 } },
    problems: { lines: 2, kept: 2 },
    conventions: { decimal: ',' },
  });
  expect(first.columns[0]).toMatchObject({
    written: 'Firma',
    known: 'name',
    samples: ['Müller GmbH', 'Öztürk KG', 'Süd AG'],
  });
  expect(first.first[0]).toMatchObject({
    company: { name: 'Müller GmbH', address: { country_code: 'DE' } },
    documents: ['audit.pdf'],
    limit: { requested_limit: 1250.5, supporting_documents: ['(the id of audit.pdf)'] },
  });

  const [bad] = await desk.lines(draft, { preview: first, list: 'problems', page: 0 });
  expect(bad).toMatchObject({ line: 3, cells: ['Öztürk KG', 'DE', 'HRB 2', 'zwölf', ''] });
  expect((await desk.check(draft, { line: 3, cells: new Map([[3, 'zwanzig']]) })).problems).toMatchObject([
    { column: 'Kreditlimit' },
  ]);
  expect(await desk.check(draft, { line: 3, cells: new Map([[3, '1.234,5']]) })).toMatchObject({ problems: [] });

  const cells = new Map([[3, '12,25']]);
  expect(await desk.mend(draft.id, { version: 1, edits: [{ line: 3, cells }] })).toMatchObject({ mended: 1 });
  const folder = join(dir, 'data', 'drafts', draft.id);
  expect(await readFile(join(folder, 'v1'))).toEqual(bytes);
  expect(await readFile(join(folder, 'v2'))).toEqual(
    makeEncoder('windows-1252')(LINES.join('\r\n').replace('zwölf', '12,25')),
  );
  expect(await desk.mend(draft.id, { version: 1, edits: [{ line: 3, cells }] })).toMatchObject({
    conflict: { latest: 2, cells: [{ line: 3, column: 'Kreditlimit', before: 'zwölf', after: '12,25' }] },
  });

  const second = await previewOf(desk, draft);
  expect(second).toMatchObject({ counts: { rows: 3, invalid: 0, duplicate: 1 }, dryRun: { requested: '1270.25' } });
  expect(await desk.submit(draft.id, { of: first.of, replace: false })).toMatchObject({
    conflict: expect.stringContaining('no longer what you saw'),
  });
  expect(await context.portfolios.names()).toEqual([]);
  await desk.submit(draft.id, { of: second.of, replace: false, by: 'console' });
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ lines: 4, rows: 3 });
  expect(await report('Käufer Q4')).toMatchObject({ rows: 3, duplicate: 1, inAllRows: '1270.25' });
  expect((await context.portfolios.read('Käufer Q4')).file?.fileName).toBe('Käufer Q4.csv');
});

test('the problem of an ambiguous amount names the two amounts that disagree, also for a correction', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'a.csv', 'name;requested_limit\nA;75.000\nB;50.000,00\nC;25,000.00\n']));
  const words = 'disagree, 50.000,00 in line 3 and 25,000.00 in line 4: say';
  const [bad] = await desk.lines(draft, { preview: await previewOf(desk, draft), list: 'problems', page: 0 });
  expect(bad?.problems).toMatchObject([{ message: expect.stringContaining(words) }]);
  expect((await desk.check(draft, { line: 2, cells: new Map([[1, '76.000']]) })).problems).toMatchObject([
    { message: expect.stringContaining(words) },
  ]);
});

// Promise: reading-kept
test('the reading of a submitted file is kept for the next file of its form, and can be dropped', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const text = (name: string) => `Name,Kto,Wert\n${name},HRB 1,1.250\n`;
  const draft = draftOf(await upload(['file', 'a.csv', text('Acme')]));
  expect((await previewOf(desk, draft)).faults).not.toEqual([]);
  const reading = {
    decimal: ',' as const,
    mapping: { columns: { Wert: 'requested_limit' as const }, constants: { country_code: 'DE' } },
  };
  await desk.correct(draft.id, { reading }, 'ann');
  const preview = await previewOf(desk, draft);
  expect(preview).toMatchObject({ faults: [], dryRun: { requested: '1250' } });
  await desk.submit(draft.id, { of: preview.of, replace: false });

  const next = draftOf(await upload(['file', 'b.csv', text('Other')]));
  expect(next).toMatchObject({ keptFrom: { name: 'a.csv' }, reading });
  await desk.correct(next.id, { forgetKept: true }, 'ann');
  expect(await desk.read(next.id)).toMatchObject({ keptFrom: null, reading: {} });
  expect(draftOf(await upload(['file', 'c.csv', text('Third')]))).toMatchObject({ keptFrom: null });
});

// Promise: mended-cell-alone-changes
test('a correction in a workbook changes only the corrected cells', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const path = join(dir, 'book.xlsx');
  await writeWorkbook(path, {
    sheet: [
      '<sheetData>',
      HEADER,
      '<row r="3"><c r="A3" t="str"><v>A &amp; B</v></c><c r="B3"><v>1234.5</v></c></row>',
      '<row r="5" spans="1:2"><c r="A5" t="str"><v>C</v></c><c r="B5" s="0" t="str"><v>many</v></c></row>',
      '<row r="6"><c r="A6" t="str"><v>D</v></c></row>',
      '</sheetData>',
    ],
  });
  const draft = draftOf(await upload(['file', 'book.xlsx', await readFile(path)]));
  expect(await previewOf(desk, draft)).toMatchObject({ sheets: ['Buyers'], counts: { rows: 1, invalid: 2 } });
  const edits = [
    {
      line: 5,
      cells: new Map([
        [0, '=C<1>'],
        [1, '77.5'],
      ]),
    },
    { line: 6, cells: new Map([[1, '8']]) },
  ];
  await desk.mend(draft.id, { version: 1, edits });
  const preview = await previewOf(desk, draft);
  expect(preview).toMatchObject({ counts: { rows: 3, invalid: 0 }, dryRun: { requested: '1320' } });
  expect(preview.first.map(({ company }) => company?.name)).toEqual(['A & B', '=C<1>', 'D']);
});

// Promise: refused-upload-leaves-nothing
test('an unsuitable upload is refused with its status, and nothing of it is kept', async () => {
  const { context, dir } = await openWorkplace();
  let free = 10 ** 12;
  const { desk, upload } = openDraftDesk(context, dir, { maxUploadMb: 1, freeBytes: async () => free });
  const refusedWith = async (status: number, words: string, ...files: Parameters<typeof upload>) => {
    expect(await upload(...files)).toMatchObject({ refused: { status, message: expect.stringContaining(words) } });
    expect(await readdir(join(dir, 'data', 'drafts')).catch(() => [])).toEqual([]);
  };
  await refusedWith(415, 'This is a PDF document', ['file', 'buyers.csv', PDF]);
  await refusedWith(415, 'its end is missing', ['file', 'b.xlsx', Buffer.from('PK\x03\x04 and then nothing')]);
  await refusedWith(415, 'The file is empty', ['file', 'b.csv', '']);
  await refusedWith(400, 'Choose the file of buyers', ['documents', 'a.pdf', PDF]);
  await refusedWith(413, 'larger than 1 MB', ['file', 'big.csv', 'x'.repeat(1024 * 1024 + 1)]);
  const csv: Parameters<typeof upload>[0] = ['file', 'b.csv', buyerLines(1).join('\n')];
  for (const name of ['../a.pdf', 'C:\\a.pdf', 'a\0.pdf', '..', '.hidden', 'fdp.\u202eexe', `${'x'.repeat(300)}.pdf`]) {
    await refusedWith(400, name === 'a\0.pdf' || name.includes('\u202e') ? 'invisible' : 'document', csv, [
      'documents',
      name,
      PDF,
    ]);
  }
  free = 1024;
  await refusedWith(507, 'no room', csv);
  free = 10 ** 12;
  const draft = draftOf(await upload(csv));
  expect(await readdir(join(dir, 'data', 'drafts'))).toEqual([draft.id]);
  await desk.remove(draft.id);
  await expect(desk.read(draft.id)).rejects.toThrow('There is no such upload');
  await expect(desk.read('../../secret')).rejects.toThrow('There is no such upload');
});

test('a broken line is corrected as a text, and a line can be marked as the same buyer', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const lines = [
    'name,country_code,company_registration_number,requested_limit',
    '"Broken,DE,HRB 1,5',
    'Acme,DE,HRB 2,6',
    'Zenith,DE,HRB 2,7',
    '',
  ];
  const draft = draftOf(await upload(['file', 'q4.csv', lines.join('\n')]));
  const preview = await previewOf(desk, draft);
  const found = await desk.lines(draft, { preview, list: 'problems', page: 0 });
  expect(found).toMatchObject([
    { line: 2, broken: '"Broken,DE,HRB 1,5' },
    { line: 4, kind: 'invalid' },
  ]);
  const cellWise = { version: 1, edits: [{ line: 2, cells: new Map([[0, 'Mended']]) }] };
  await expect(desk.mend(draft.id, cellWise)).rejects.toThrow('Line 2 cannot be split into cells');
  await desk.mend(draft.id, { version: 1, edits: [{ line: 2, text: 'Mended,DE,HRB 1,5' }] });
  await desk.correct(draft.id, { reading: { sameBuyer: [4] } });
  expect(await previewOf(desk, draft)).toMatchObject({
    counts: { rows: 3, invalid: 0 },
    dryRun: { companies: 2, limits: 3 },
  });
});

test('a preview is made anew if the console starts with another policy for unknown companies', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'q4.csv', buyerLines(1).join('\n')]));
  const first = await previewOf(desk, draft);
  const outlook = { ...outlookDepsOf(context), onUnknownCompany: { withoutIt: 'resend' as const } };
  const { desk: later } = openDraftDesk(context, dir, { outlook });
  expect((await previewOf(later, draft)).of).not.toBe(first.of);
  const { desk: same } = openDraftDesk(context, dir);
  expect((await previewOf(same, draft)).of).toBe(first.of);
});

/** Line 2 needs a correction because its country code is wrong. */
const FILE = `name,country_code,company_registration_number,requested_limit\nBuyer 1,XX,HRB 1,5\nBuyer 2,DE,HRB 2,5\n`;

// Promise: uploads-of-one-person
test('the uploads of one person are limited in size, and uploads of others do not count', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir, { quotaBytes: FILE.length + 20 });
  const first = draftOf(await upload(['file', 'q4.csv', FILE]));
  await previewOf(desk, first);
  const second = await upload(['file', 'q5.csv', FILE]);
  expect(second).toMatchObject({ refused: { status: expect.any(Number) } });
  const edits = [{ line: 2, cells: new Map([[0, 'Another']]) }];
  await expect(desk.mend(first.id, { version: 1, edits }, 'ann')).rejects.toThrow(
    /submit or remove some of them first/,
  );
  expect(await desk.list()).toHaveLength(1);
  expect(await desk.mend(first.id, { version: 1, edits }, 'ben')).toMatchObject({ mended: expect.any(Number) });
});
