import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { lastVersion } from '../../../src/portfolio/portfolio-draft.ts';
import { draftOf, incoming, openDraftDesk, previewOf } from '../../support/draft-desk.ts';
import { HEADER, writeSheets, writeWorkbook } from '../../support/workbooks.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

const HEAD = 'name,country_code,website,requested_limit';

async function openMending(lines: readonly string[]) {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const draft = draftOf(await upload(['file', 'q4.csv', [HEAD, ...lines, ''].join('\n')]));
  const text = async () => {
    let all = '';
    for await (const piece of (await desk.file(draft.id)).content) all += piece;
    return all.split('\n').slice(1, -1);
  };
  /** The versions whose content is stored. */
  const kept = async () =>
    (await readdir(join(dir, 'data', 'drafts', draft.id))).filter((name) => /^v\d+$/.test(name)).sort();
  return { desk, upload, id: draft.id, preview: () => previewOf(desk, draft), text, kept };
}

const many = (count: number, website: string) =>
  Array.from({ length: count }, (_none, at) => `Buyer ${at} GmbH,DE,${website},${100 + at}`);

// Promise: column-corrected-at-once
test('lines to fix are counted by column, and one correction changes all lines of a column', async () => {
  const { desk, id, preview, text } = await openMending([...many(25, 'ftp://x.example'), 'Last GmbH,DE,,much']);
  const found = await preview();
  expect(found.problems.causes).toEqual([
    { column: 'website', lines: 25 },
    { column: 'requested_limit', lines: 1 },
  ]);
  const draft = await desk.read(id);
  const place = { preview: found, list: 'problems', column: 'website' } as const;
  expect((await desk.lines(draft, { ...place, page: 1 })).map(({ line }) => line)).toEqual([22, 23, 24, 25, 26]);
  expect(await desk.lines(draft, { ...place, page: 2 })).toEqual([]);

  const column = { list: 'problems', column: 'website', from: 'ftp:', to: 'https:' } as const;
  // A cell with its own correction keeps that, and a cell beside it is corrected, too.
  const edits = [
    {
      line: 3,
      cells: new Map([
        [2, 'https://own.example'],
        [3, '7'],
      ]),
    },
  ];
  expect(await desk.mend(id, { version: 1, edits, column }, 'ann')).toMatchObject({ mended: 26 });
  expect((await text()).slice(0, 3)).toEqual([
    'Buyer 0 GmbH,DE,https://x.example,100',
    'Buyer 1 GmbH,DE,https://own.example,7',
    'Buyer 2 GmbH,DE,https://x.example,102',
  ]);
  expect((await preview()).problems.causes).toEqual([{ column: 'requested_limit', lines: 1 }]);
});

// Promise: column-corrected-at-once
test('a whole column can be emptied, and a text that no cell contains is refused', async () => {
  const { desk, id, preview, text } = await openMending(many(2, 'nonsense'));
  await preview();
  const column = { list: 'problems', column: 'website', from: 'ftp', to: '' } as const;
  await expect(desk.mend(id, { version: 1, edits: [], column })).rejects.toThrow('has the text “ftp” in it');
  await desk.mend(id, { version: 1, edits: [], column: { ...column, from: '' } });
  expect(await text()).toEqual(['Buyer 0 GmbH,DE,,100', 'Buyer 1 GmbH,DE,,101']);
  expect((await preview()).counts).toMatchObject({ rows: 2, invalid: 0 });
});

test('a unit of thousands cannot be removed from all amounts at once', async () => {
  const { desk, id, preview, text } = await openMending(['A GmbH,DE,,T€ 50', 'B GmbH,DE,,T€ 60']);
  await preview();
  const column = { list: 'problems', column: 'requested_limit', from: 'T€', to: '' } as const;
  await expect(desk.mend(id, { version: 1, edits: [], column })).rejects.toThrow('in thousands or millions');
  await desk.mend(id, { version: 1, edits: [], column: { ...column, from: 'T€ 50', to: '50000' } });
  expect(await text()).toEqual(['A GmbH,DE,,50000', 'B GmbH,DE,,T€ 60']);
});

// Promise: left-out-line-counted
test('lines can be left out, even broken ones, and the lines below keep their numbers', async () => {
  const { desk, id, preview } = await openMending([
    'A GmbH,DE,,much',
    '"B" GmbH,DE,,5',
    'C GmbH,DE,,x',
    'D GmbH,DE,,6',
  ]);
  await preview();
  const edits = [2, 3].map((line) => ({ line, isLeftOut: true }) as const);
  await desk.mend(id, { version: 1, edits });
  const found = await preview();
  expect(found.counts).toEqual({ lines: 2, rows: 1, invalid: 1, duplicate: 0 });
  expect(lastVersion(await desk.read(id))).toMatchObject({ mended: 0, leftOut: [2, 3] });
  expect((await desk.lines(await desk.read(id), { preview: found, list: 'problems', page: 0 }))[0]?.line).toBe(4);
});

// Promise: left-out-line-counted
test('the left-out lines are counted by their original numbers after a multi-line record became shorter', async () => {
  const { desk, id, preview } = await openMending([
    '"A\nGmbH",DE,ftp://a,1',
    '"B\nGmbH",DE,ftp://b,20',
    'C GmbH,DE,ftp://c,300',
    'D GmbH,DE,ftp://d,4000',
    'E GmbH,DE,,5',
  ]);
  const edits = [
    { line: 6, isLeftOut: true },
    // The name of this line still spans two lines.
    { line: 2, cells: new Map([[2, '']]) },
    { line: 4, isLeftOut: true },
    { line: 6, isLeftOut: true },
  ] as const;
  for (const [before, edit] of edits.entries()) {
    await preview();
    await desk.mend(id, { version: before + 1, edits: [edit] });
  }
  expect((await preview()).counts).toMatchObject({ lines: 2, rows: 2 });
  const { leftOut, outSum } = lastVersion(await desk.read(id));
  expect({ leftOut, outSum }).toEqual({ leftOut: [4, 5, 6], outSum: { amount: '4320', bare: 0 } });
});

// Promise: left-out-line-counted
test('a line of a workbook can be left out', async () => {
  const { context, dir } = await openWorkplace();
  const { desk, upload } = openDraftDesk(context, dir);
  const row = (number: number, name: string, limit: string) =>
    `<row r="${number}"><c r="A${number}" t="str"><v>${name}</v></c><c r="B${number}" t="str"><v>${limit}</v></c></row>`;
  const sheet = ['<sheetData>', HEADER, row(2, 'A GmbH', 'much'), row(3, 'B GmbH', '5'), '</sheetData>'];
  const path = await writeWorkbook(join(dir, 'q4.xlsx'), { sheet });
  const draft = draftOf(await upload(['file', 'q4.xlsx', await readFile(path)]));
  await previewOf(desk, draft);
  await desk.mend(draft.id, { version: 1, edits: [{ line: 2, isLeftOut: true }] });
  expect((await previewOf(desk, draft)).counts).toEqual({ lines: 1, rows: 1, invalid: 0, duplicate: 0 });
});

// Promise: back-to-earlier-version
test('an upload can go back to its first and its last two versions, as a new version', async () => {
  const { desk, id, preview, text, kept } = await openMending(['A GmbH,DE,,x1']);
  for (const version of [1, 2, 3, 4]) {
    await preview();
    await desk.mend(id, { version, edits: [{ line: 2, cells: new Map([[3, `x${version + 1}`]]) }] });
  }
  expect(await kept()).toEqual(['v1', 'v3', 'v4', 'v5']);
  await expect(desk.goBack(id, { version: 5, to: 2 })).rejects.toThrow('Version 2 is not kept');
  await expect(desk.goBack(id, { version: 5, to: 9 })).rejects.toThrow('Version 9 is not kept');
  expect(await desk.goBack(id, { version: 4, to: 3 })).toMatchObject({ conflict: { latest: 5 } });
  const went = [];
  // A version with the content of another one does not displace any.
  for (const [version, to] of [
    [5, 1],
    [6, 4],
    [7, 1],
    [8, 5],
    [9, 7],
  ] as const) {
    await desk.goBack(id, { version, to }, 'ben');
    went.push(...(await text()));
  }
  expect(went).toEqual(['x1', 'x4', 'x1', 'x5', 'x4'].map((cell) => `A GmbH,DE,,${cell}`));
  expect(await desk.read(id)).toMatchObject({ authors: ['ann', 'ben'] });
  expect((await preview()).counts).toMatchObject({ invalid: 1 });
});

async function leftOut(name: string, content: Buffer, line: number) {
  const { context, dir } = await openWorkplace();
  const { desk } = openDraftDesk(context, dir);
  const file = { field: 'file', name, content: Readable.from([content]) };
  const draft = draftOf(await desk.receive(incoming([file]), undefined, 'ann'));
  await previewOf(desk, draft);
  await desk.mend(draft.id, { version: 1, edits: [{ line, isLeftOut: true }] }, 'ann');
  return (await previewOf(desk, draft)).counts;
}

test('a sheet row with formulas and cells beyond the header can be left out', async () => {
  const { dir } = await openWorkplace();
  const row = (n: number, cells: string) => `<row r="${n}">${cells}</row>`;
  const text = (at: string, words: string) => `<c r="${at}" t="str"><v>${words}</v></c>`;
  const rows =
    HEADER +
    row(2, `${text('A2', 'A GmbH')}<c r="B2" t="str"><f>1+1</f><v>x</v></c>${text('D2', 'more')}`) +
    row(3, `${text('A3', 'B GmbH')}<c r="B3"><v>5</v></c>`);
  const path = await writeSheets(join(dir, 'book.xlsx'), [{ name: 'Buyers', rows }]);
  expect(await leftOut('book.xlsx', await readFile(path), 2)).toMatchObject({ rows: 1, invalid: 0 });
});

// Promise: authors-of-a-file
test('nobody who uploaded, corrected, mapped or submitted a file may approve it', async () => {
  const { context, dir } = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { desk } = openDraftDesk(context, dir);
  const content = Readable.from([Buffer.from(buyerLines(3).join('\n').replace('1002.50', 'twelve'))]);
  const draft = draftOf(await desk.receive(incoming([{ field: 'file', name: 'q4.csv', content }]), undefined, 'ann'));
  await previewOf(desk, draft);
  const edits = [{ line: 3, cells: new Map([[3, '12']]) }];
  expect(await desk.mend(draft.id, { version: 1, edits }, 'bert')).toMatchObject({ mended: 1 });
  await desk.correct(draft.id, { portfolio: 'spring' }, 'cid');
  await desk.correct(draft.id, { portfolio: 'q4' }, 'bert');
  expect((await desk.read(draft.id)).authors).toEqual(['ann', 'bert', 'cid']);
  const { of } = await previewOf(desk, draft);
  await desk.submit(draft.id, { of, replace: false, by: 'dora' });
  await expect.poll(async () => (await desk.read(draft.id)).submitted?.ended).toMatchObject({ rows: 3 });
  const [waiting] = await context.approvals.waiting();
  expect(waiting).toMatchObject({ rows: 3, authors: ['ann', 'bert', 'cid', 'dora'] });
  const { id = '', digest = '' } = waiting ?? {};
  for (const by of ['ann', 'bert', 'cid', 'dora']) {
    expect(await context.approvals.grant({ id, digest, by })).toBe('own');
    expect(await context.approvals.decline({ id, digest, by })).toBe('own');
  }
  expect(await context.approvals.grant({ id, digest, by: 'eve' })).toBe('granted');
});
