import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { type ExportWish, exportedText, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** The cells of each line by the names of their columns. */
async function exported({ context }: Place, wish: ExportWish = {}) {
  const [header = [], ...records]: string[][] = parse(await exportedText(context, wish));
  return {
    header,
    lines: records.map((cells) => Object.fromEntries(cells.map((cell, column) => [header[column] ?? '', cell]))),
  };
}

/** A workplace with three imports. The third file has another line for a row of the first, and a broken line. */
async function openThree() {
  const place = await openWorkplace();
  const write = async (name: string, content: string) => {
    const path = join(place.dir, name);
    await writeFile(path, content);
    return place.importFile(path);
  };
  await write('first.csv', 'Firma;Limit;Notiz;Notiz\nAcme;1;a;b\nTin;2;c;d\nBad;x;e;f\n');
  await write('second.csv', 'name,line,requested_limit\nZinc,L1,3\nLead,L2,4\n');
  await write('third.csv', 'requested_limit,name\n2,Tin\nx,Bad\n5,Gold\n5,Gold\n');
  return place;
}

// Promise: results-give-each-line-once
test('results contain each row and each line without a row once, by import and line, with the columns of all files', async () => {
  const place = await openThree();
  const { header, lines } = await exported(place);
  expect(header.slice(0, 10).join()).toBe('name,requested_limit,Notiz,Notiz,line,row,import,line,state,step');
  expect(lines.map((one) => [one.import, one.line, one.name, one.state])).toEqual([
    ['first.csv #1', '2', 'Acme', 'queued'],
    ['second.csv #2', '2', 'Zinc', 'queued'],
    ['second.csv #2', '3', 'Lead', 'queued'],
    ['third.csv #3', '2', 'Tin', 'queued'],
    ['third.csv #3', '3', 'Bad', 'invalid'],
    ['third.csv #3', '4', 'Gold', 'queued'],
    ['third.csv #3', '5', 'Gold', 'duplicate'],
  ]);
  expect(new Set(lines.map(({ row }) => row)).size).toBe(6);
  expect(lines.every(({ row, state }) => /^q4\/[\w-]{16}$/.test(row ?? '') === (state === 'queued'))).toBe(true);
  // Of two columns with one name, the first is the team's and the last is from Limitline.
  expect((await exportedText(place.context)).split('\r\n')[1]).toMatch(/^Acme,1,a,b,,q4\//);
  // The same file again is the same import.
  await place.importFile(join(place.dir, 'second.csv'));
  expect((await exported(place)).lines.map((one) => one.import)).toEqual([
    'first.csv #1',
    'second.csv #2',
    'second.csv #2',
    'third.csv #3',
    'third.csv #3',
  ]);
});

// Promise: errors-file-imported-again
test('an errors file of imports with different headers can be imported as it is', async () => {
  const place = await openThree();
  const { header } = await exported(place, { only: 'errors' });
  expect(header.join()).toBe(
    'name,requested_limit,Notiz,Notiz,line,row,limitline_line,problem,limitline_account,limitline_from',
  );
  const path = join(place.dir, 'errors.csv');
  await writeFile(
    path,
    (await exportedText(place.context, { only: 'errors' })).replace(',x,', ',7,').replace('Bad,x', 'Bad,7'),
  );
  const imported = await place.importFile(path);
  expect(imported).toMatchObject({ faults: [], lines: 7, rows: 6, duplicate: 1, replaced: 0, lacking: 0 });
  expect((await place.report()).rows).toBe(6);
});

// Promise: results-without-the-copy
test('rows of a file whose copy is missing show what the ledger knows, with a message', async () => {
  const place = await openThree();
  const [first] = await place.context.portfolios.allImports('q4');
  await rm(place.context.imports.open(first?.id ?? '').path);
  const told: string[] = [];
  const { lines } = await exported(place, { told });
  expect(lines).toHaveLength(7);
  expect(lines[0]).toMatchObject({
    import: 'first.csv #1',
    line: '2',
    name: 'Acme',
    requested_limit: '1',
    state: 'queued',
  });
  expect(told).toEqual([expect.stringContaining('The copy of first.csv #1 is gone')]);
  // The errors file works without the copy, because each line contains its row id.
  const path = join(place.dir, 'errors.csv');
  await writeFile(path, (await exportedText(place.context, { only: 'errors' })).replace('Acme,', 'Acme plus,'));
  expect(await place.importFile(path)).toMatchObject({ rows: 5, invalid: 1, duplicate: 1, replaced: 1 });
});

// Promise: results-without-the-copy
test('lines without a row are missing if the copy of the last file is missing, with a message', async () => {
  const { context, import: importLines } = await openWorkplace();
  await importLines(['name,requested_limit', 'Acme,1', 'Bolt,x', 'Acme,1']);
  const [known] = await context.portfolios.allImports('q4');
  await rm(context.imports.open(known?.id ?? '').path);
  const told: string[] = [];
  await exportedText(context, { only: 'errors', told });
  expect(told).toEqual([
    'The copy of q4.csv #1 is gone from the data folder, so its rows have only what the ledger knows of them. Its lines that led to no row are missing here: 1 invalid, 1 duplicate.',
  ]);
});

test('no row is lost if the stored copy has fewer lines than were imported', async () => {
  const place = await openThree();
  const [, second] = await place.context.portfolios.allImports('q4');
  await writeFile(place.context.imports.open(second?.id ?? '').path, 'name,line,requested_limit\nZinc,L1,3\n');
  const { lines } = await exported(place);
  expect(lines.map(({ name, state }) => [name, state])).toContainEqual(['Lead', 'queued']);
  expect(lines).toHaveLength(7);
});

// Promise: held-rows-not-in-errors-file
test('the errors file leaves out held rows, and a message gives their number and command', async () => {
  const place = await openWorkplace({
    faults: { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'status', status: 500 }] },
  });
  const lines = [
    'name,country_code,company_registration_number,requested_limit',
    'Acme,DE,HRB 1,1',
    'Zinc,DE,HRB 2,-2',
  ];
  await place.import(lines);
  await place.work();
  expect(await place.settled()).toMatchObject({ states: { held: 1 } });
  const told: string[] = [];
  expect((await exported(place, { only: 'errors', told })).lines.map(({ name }) => name)).toEqual(['Zinc']);
  expect(told).toEqual([expect.stringMatching(/^1 held row is not in this file.*limitline report "q4" --state held/)]);
});
