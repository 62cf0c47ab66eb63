import { mkdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { checkImport } from '../../../jobs/import/open-import.ts';
import { HEADER, times, writeWorkbook } from '../../support/workbooks.ts';
import { buyerLines, importDepsOf, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** An import with a callback for each batch and a signal that stops it. */
async function importWith({ context }: Place, path: string, onBatch: () => void, stopping: AbortSignal) {
  const payload = { portfolio: 'q4', path, reading: {}, replace: false };
  return importPortfolio(payload, { ...importDepsOf(context), onBatch, stopping });
}

test.each([
  ['a slash in the name', { portfolio: 'q4/2026', path: 'q4.csv' }, '"q4/2026" cannot be the name of a portfolio'],
  ['a name that is too long', { portfolio: 'q'.repeat(65), path: 'q4.csv' }, 'cannot be the name of a portfolio'],
  ['an empty path', { portfolio: 'q4', path: '' }, 'The path of the file is empty'],
])('an import with %s is refused before anything is read', (_what, given, words) => {
  expect(() => checkImport(given)).toThrow(
    expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(words) }),
  );
});

describe('a line with a fault', () => {
  const columns = [
    'name',
    'country_code',
    'website',
    'requested_limit',
    'contact_email',
    'statements_dated',
    'supporting_documents',
  ];
  const good = ['Good AG', 'DE', 'https://good.example', '100', 'a@good.example', '2026-01-31', 'good.pdf'];

  /** The columns and faulty cells that replace the good ones, one for each line. */
  const FAULTY: [column: string, value: string][] = [
    ['requested_limit', '-5'],
    ['requested_limit', '0'],
    ['requested_limit', 'a lot'],
    ['requested_limit', '1e400'],
    ['requested_limit', 'NaN'],
    ['requested_limit', '12345678901234567.89'],
    ['requested_limit', ''],
    ['name', ''],
    ['country_code', 'Atlantis'],
    ['country_code', 'ZZ'],
    ['contact_email', 'somebody'],
    ['website', 'ftp://files.example'],
    ['statements_dated', 'last spring'],
    ['supporting_documents', 'missing.pdf'],
    ['supporting_documents', 'empty.pdf'],
    ['supporting_documents', 'large.pdf'],
    ['supporting_documents', '../q4.csv'],
  ];

  test('is reported with line and column, and the other lines are imported', async () => {
    const place = await openWorkplace({ env: { MAX_DOCUMENT_MB: '1' } });
    const documents = join(place.dir, 'documents');
    await mkdir(documents);
    await writeFile(join(documents, 'good.pdf'), '%PDF-1.4\n%%EOF\n');
    await writeFile(join(documents, 'empty.pdf'), '');
    await writeFile(join(documents, 'large.pdf'), '%PDF-1.4\n');
    await truncate(join(documents, 'large.pdf'), 1_100_000);
    const line = (name: string, wrong = '', value = '') =>
      columns.map((column, at) => (column === wrong ? value : column === 'name' ? name : good[at])).join();
    const faulty = FAULTY.map(([column, value], at) => line(`Faulty ${at} AG`, column, value));
    const imported = await place.import([columns.join(), line('First AG'), ...faulty, line('Last AG')]);
    const count = FAULTY.length;
    expect(imported).toMatchObject({ faults: [], lines: count + 2, rows: 2, invalid: count, duplicate: 0 });
    expect(imported.problems).toMatchObject(FAULTY.map(([column], at) => ({ line: at + 3, column })));
    expect(await place.report()).toMatchObject({ lines: count + 2, rows: 2, invalid: count, states: { queued: 2 } });
    const [fault] = await place.context.portfolios.faultyLines('q4', [3]);
    expect(fault).toMatchObject({ kind: 'invalid', message: `requested_limit: ${imported.problems[0]?.message}` });
  });

  test.each([
    ['too many cells', 'B,2,x,y', 'invalid'],
    ['too few cells', 'B,2', 'invalid'],
    ['the request of an earlier line', 'A,1,x', 'duplicate'],
  ] as const)('%s is a problem of the line as a whole', async (_name, text, kind) => {
    const place = await openWorkplace();
    const imported = await place.import(['name,requested_limit,note', 'A,1,', text, 'C,3,']);
    expect(imported).toMatchObject({ lines: 3, rows: 2, [kind]: 1 });
    expect(imported.problems).toMatchObject([{ line: 3, column: null }]);
  });
});

describe('a file that cannot be read', () => {
  // Promise: file-faults-store-nothing
  test.each([
    ['empty', ''],
    ['without a needed column', 'name,city\nA,Kiel\n'],
    ['with a column twice', 'name,requested_limit,Name\nA,1,B\n'],
  ])('%s leaves no portfolio behind', async (_name, text) => {
    const place = await openWorkplace();
    const path = join(place.dir, 'q4.csv');
    await writeFile(path, text);
    const imported = await importWith(place, path, () => {}, new AbortController().signal);
    expect(imported).toMatchObject({
      faults: [expect.objectContaining({ line: expect.any(Number) })],
      lines: 0,
      rows: 0,
    });
    expect(await place.context.portfolios.names()).toEqual([]);
  });

  test.each(['missing.csv', '.'])('%s is refused with a FILE error, and leaves no portfolio behind', async (name) => {
    const place = await openWorkplace();
    const importing = importWith(place, join(place.dir, name), () => {}, new AbortController().signal);
    await expect(importing).rejects.toMatchObject({ code: 'FILE' });
    expect(await place.context.portfolios.names()).toEqual([]);
  });
});

// Promise: broken-workbook-refused-whole
test('a workbook broken in the middle leaves no portfolio behind, and the error shows the given path', async () => {
  const place = await openWorkplace();
  const path = join(place.dir, 'half.xlsx');
  const buyer = (n: number) => `<row><c t="str"><v>Buyer ${n}</v></c><c><v>${n}</v></c></row>`;
  await writeWorkbook(path, { sheet: [HEADER, ...times(3_000, buyer), '<row r="5"><c><v>1</v></c></row>'] });
  await expect(place.importFile(path)).rejects.toMatchObject({
    code: 'FILE',
    message: expect.stringContaining(`The workbook ${path} cannot be read: its row 5 cannot come after row 3001`),
  });
  expect(await place.context.portfolios.names()).toEqual([]);
});

test('an import that is stopped halfway is unfinished, and a repeated import duplicates nothing', async () => {
  const place = await openWorkplace();
  const path = join(place.dir, 'q4.csv');
  await writeFile(path, `${[...buyerLines(300), 'Broken AG,Atlantis,,1'].join('\n')}\n`);
  await place.work();
  for (const batches of [1, 2]) {
    const stop = new AbortController();
    let heard = 0;
    const onBatch = () => {
      heard += 1;
      if (heard === batches) stop.abort();
    };
    await expect(importWith(place, path, onBatch, stop.signal)).rejects.toMatchObject({ code: 'STOPPED' });
    const { rows, finished } = await place.report();
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThan(300);
    expect(finished).toBeNull();
  }
  await place.import([...buyerLines(300), 'Broken AG,Atlantis,,1']);
  expect(await place.settled()).toMatchObject({ lines: 301, rows: 300, invalid: 1, states: { done: 300 } });
  expect(place.standIn.counts().made).toMatchObject({ company: 300, limit: 300 });
  expect(place.standIn.madeTwice()).toEqual([]);
});

describe('a supplier', () => {
  async function withSupplier(text: string, faults = {}) {
    const place = await openWorkplace({ faults });
    const supplierPath = join(place.dir, 'supplier.csv');
    await writeFile(supplierPath, text);
    await place.work();
    return { ...place, supplierPath };
  }

  test('that was refused is requested again by the next import', async () => {
    const place = await withSupplier('name,country_code\nLieferant AG,CH\n', {
      rules: [{ on: 'company', match: 'Lieferant', fault: 'status', status: 422 }],
    });
    await place.import(buyerLines(1), place);
    expect((await place.settled()).supplier).toBeNull();
    await place.standIn.setFaults({ rules: [] });
    await place.import(buyerLines(1), place);
    await expect.poll(async () => (await place.report()).supplier).toMatch(/^company_/);
    expect(place.standIn.counts().made.company).toBe(2);
  });

  test('that cannot be read stops the import before it begins', async () => {
    const place = await withSupplier('name,country_code\nLieferant AG,Swiss\n');
    await expect(place.import(buyerLines(1), place)).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringContaining('country_code'),
    });
    expect(await place.context.portfolios.names()).toEqual([]);
  });
});
