import { readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import type { NightCheck, ReportDeps } from '../../../../jobs/nightly/report/make-report.ts';
import { makeReport, openItems } from '../../../../jobs/nightly/report/make-report.ts';
import { makeReports } from '../../../../src/ledger/nightly/reports.ts';
import { foundItem } from '../../../support/found-items.ts';
import { heapInUse } from '../../../support/held-bytes.ts';
import { openLedger } from '../../../support/ledger.ts';
import { makeFolder } from '../../../support/workplace.ts';

const ACCOUNT = 'https://api.example.com';

async function openDesk(more: Partial<ReportDeps> = {}) {
  const { connection, keys } = openLedger();
  const dir = await makeFolder();
  const reports = makeReports({ connection, keys });
  const currencies: Record<string, (string | undefined)[]> = {
    eur: ['EUR'],
    mixed: ['EUR', 'JPY'],
    partly: ['EUR', undefined],
  };
  const allImports = async (name: string) => (currencies[name] ?? []).map((currency) => ({ found: { currency } }));
  const portfolios = { allImports };
  const deps: ReportDeps = {
    ...{ account: ACCOUNT, reports, keys, settings: { LIMITLINE_DATA: dir } },
    portfolios: portfolios as unknown as ReportDeps['portfolios'],
    ...more,
  };
  const make = (id: string, look: NightCheck) => {
    const { signal } = new AbortController();
    return makeReport({ id, atMs: Date.parse('2026-11-22T01:30:00Z'), by: 'nightly', signal }, look, deps);
  };
  const names = async () => (await readdir(join(dir, 'reports'), { recursive: true })).sort();
  return { dir, reports, make, names };
}

/** Reports these findings one by one. */
const finds =
  (...items: readonly ReturnType<typeof foundItem>[]): NightCheck =>
  async (sink) => {
    for (const item of items) await sink.found(item);
    return { portfolios: 1, rows: items.length };
  };

const NIGHT = '2026-11-22T01:30:00.000Z';

// Promise: report-sums-name-currency
test("the sum of a finding has the currency of its portfolio's files", async () => {
  const { make, reports } = await openDesk();
  const { groups } = await make(NIGHT, finds(foundItem({ portfolio: 'eur' })));
  expect(groups).toMatchObject([{ sum: '1000.5', currency: 'EUR' }]);
  expect(await reports.findings(NIGHT, 0, 1)).toMatchObject([{ currency: 'EUR' }]);
  const other = await make(NIGHT, finds(foundItem()));
  expect(other.groups[0]).not.toHaveProperty('currency');
});

// Promise: report-sums-name-currency
test('amounts of a portfolio with several currencies get no sum', async () => {
  const { make, reports } = await openDesk();
  const { groups } = await make(NIGHT, finds(foundItem({ portfolio: 'eur' }), foundItem({ portfolio: 'mixed' })));
  const findings = await reports.findings(NIGHT, 0, 2);
  expect(findings.find(({ portfolio }) => portfolio === 'mixed')).not.toHaveProperty('sum');
  expect(groups[0]).not.toHaveProperty('sum');
});

test('amounts without a portfolio get one sum for each currency, and the next night recognises each finding', async () => {
  const { make, reports } = await openDesk();
  const dropped = (currency?: string) =>
    foundItem({ check: 'not requested', portfolio: '', ...(currency !== undefined && { currency }) });
  const look = finds(dropped('EUR'), dropped('USD'), dropped('EUR'), dropped());
  const { groups } = await make(NIGHT, look);
  expect(groups).toMatchObject([{ findings: 3, rows: 4 }]);
  expect(groups[0]).not.toHaveProperty('sum');
  const found = await reports.findings(NIGHT, 0, 3);
  expect(found.map(({ sum, currency }) => [sum, currency])).toEqual([
    ['2001', 'EUR'],
    ['1000.5', undefined],
    ['1000.5', 'USD'],
  ]);
  const next = await make('2026-11-23T01:30:00.000Z', look);
  expect(next.groups).toMatchObject([{ findings: 3, changes: { same: 3 } }]);
});

test('a combined finding of many portfolios has no sum over several currencies', async () => {
  const { make, reports } = await openDesk();
  const many = (portfolio: string) =>
    Array.from({ length: 3_001 }, (_none, at) => foundItem({ portfolio, says: `finding ${at}` }));
  await make(NIGHT, finds(...many('eur'), foundItem({ portfolio: 'mixed', says: 'another' })));
  const [crowded] = await reports.findings(NIGHT, 0, 1);
  expect(crowded).toMatchObject({ portfolio: '', rows: 2, isMixed: true });
  expect(crowded).not.toHaveProperty('sum');
});

// Promises: check-leaves-a-report, items-name-their-part
test('a night writes its items as a table, a page to print, and a report with the folder', async () => {
  const print = () => ['<p>', 'printed', '</p>'];
  const { dir, reports, make, names } = await openDesk({ printReport: print });
  const evil = foundItem({ name: '=cmd|"/C calc"!A0', detail: 'a "quoted"\r\nline', granted: '800' });
  const report = await make(
    NIGHT,
    finds(
      evil,
      foundItem({ check: 'no job', says: 'no job', isMended: true, rows: 3 }),
      foundItem({ check: 'held', says: 'held' }),
      foundItem({ check: 'documents', says: 'missing' }),
    ),
  );
  const [ledger = ''] = await names();
  expect(ledger).toMatch(/^api\.example\.com-[0-9a-f]{6}$/);
  const folder = join(dir, 'reports', ledger, '2026-11-22T01-30-00.000Z');
  expect(report).toMatchObject({ findings: 4, items: 4, account: ACCOUNT, looked: { portfolios: 1, rows: 4 } });
  expect(report.files).toEqual({ host: hostname(), folder, items: 'items.csv', page: 'report.html' });
  expect(await reports.read()).toEqual(report);
  expect(await readFile(join(folder, 'report.html'), 'utf8')).toBe('<p>printed</p>');
  const text = await readFile(join(folder, 'items.csv'), 'utf8');
  expect(text.startsWith('\ufeffpart,kind,check,portfolio,')).toBe(true);
  expect(parse(text, { bom: true, columns: true })).toEqual([
    {
      part: 'For finance',
      kind: 'finance',
      check: 'Rejected by the service',
      portfolio: 'q4',
      line: '7',
      row: `q4/${'A'.repeat(16)}`,
      // The cell is marked as text, so that no spreadsheet runs it.
      name: `'=cmd|"/C calc"!A0`,
      requested_limit: '1000.50',
      total_limit: '800',
      currency: '',
      finding: 'refused with status 422 at the limit',
      detail: 'a "quoted"\r\nline',
      since: '2025-11-22T09:00:00.000Z',
      rows: '1',
      mended: 'no',
      command: 'npx limitline retry q4 --cause k3f9',
    },
    expect.objectContaining({ part: 'Corrected', kind: 'ledger', rows: '3', mended: 'yes' }),
    expect.objectContaining({ part: 'Needs an answer', kind: 'finance', finding: 'held' }),
    expect.objectContaining({ part: 'Needs an answer', kind: 'ledger', finding: 'missing' }),
  ]);
});

// Promise: items-name-currency
test('items have the currency of their portfolio in the table', async () => {
  const { dir, make, names } = await openDesk();
  await make(NIGHT, finds(...['eur', 'mixed', 'partly', 'eur'].map((portfolio) => foundItem({ portfolio }))));
  const [ledger = ''] = await names();
  const path = join(dir, 'reports', ledger, '2026-11-22T01-30-00.000Z', 'items.csv');
  const items: Record<string, string>[] = parse(await readFile(path, 'utf8'), { bom: true, columns: true });
  expect(items.map(({ currency }) => currency)).toEqual(['EUR', 'several', '', 'EUR']);
});

// Promise: report-compares-with-before
test('the report of the next night shows new, increased and settled findings', async () => {
  const { reports, make } = await openDesk();
  await make('monday', finds(foundItem(), foundItem({ says: 'only on monday' })));
  const tuesday = await make('tuesday', finds(foundItem(), foundItem(), foundItem({ portfolio: 'q5' })));
  expect(tuesday).toMatchObject({ findings: 2, before: { id: 'monday' } });
  expect(await reports.findings('tuesday', 0, 9)).toMatchObject([
    { portfolio: 'q4', change: 'more', rows: 2, rowsBefore: 1 },
    { portfolio: 'q5', change: 'new' },
    { finding: 'only on monday', change: 'gone', rowsBefore: 1 },
  ]);
});

// Promise: one-report-a-night
test('a run that dies halfway leaves no report, and its repetition writes each item once', async () => {
  const { dir, reports, make, names } = await openDesk();
  await make('monday', finds(foundItem()));
  const dying: NightCheck = async (sink) => {
    for (let line = 1; line <= 2_000; line += 1) await sink.found(foundItem({ line }));
    throw new Error('killed');
  };
  await expect(make(NIGHT, dying)).rejects.toThrow('killed');
  expect(await reports.read()).toMatchObject({ id: 'monday' });
  const [ledger = ''] = await names();
  expect(await names()).toEqual([ledger, `${ledger}/monday`, `${ledger}/monday/items.csv`]);

  // A killed process left this file. Its process number is in use again.
  const left =
    (await readFile(`/proc/self/stat`, 'utf8')) && `.items.csv.${process.pid}-${await placeHere(dir)}-00000000.part`;
  await writeFile(join(dir, 'reports', ledger, left), 'half');
  await make(NIGHT, finds(foundItem(), foundItem()));
  const again = await make(NIGHT, finds(foundItem(), foundItem()));
  expect(again).toMatchObject({ items: 2, findings: 1, before: { id: 'monday' } });
  expect(await reports.list({ count: 9 })).toMatchObject([{ id: NIGHT, items: 2 }, { id: 'monday' }]);
  expect(await names()).toEqual([
    ledger,
    `${ledger}/2026-11-22T01-30-00.000Z`,
    `${ledger}/2026-11-22T01-30-00.000Z/items.csv`,
    `${ledger}/monday`,
    `${ledger}/monday/items.csv`,
  ]);
});

/** The part of a draft's file name that identifies where its process ran. */
async function placeHere(dir: string): Promise<string> {
  const { writeDraft } = await import('../../../../src/files/disk.ts');
  const draft = await writeDraft({ dir, name: 'x', write: async (to) => void to.end() });
  await draft.drop();
  return /\.\d+-([0-9a-f]{8})-[0-9a-f]{8}\.part$/.exec(draft.path)?.[1] ?? '';
}

// Promise: report-has-3000-findings
test('a report of 40,000 items keeps little in memory', async () => {
  const { reports, make } = await openDesk();
  let kept = 0;
  const look: NightCheck = async (sink) => {
    const before = heapInUse();
    for (let line = 1; line <= 40_000; line += 1) {
      await sink.found(foundItem({ line, portfolio: `q${line % 5_000}`, name: `Buyer ${line} ${'x'.repeat(300)}` }));
    }
    kept = heapInUse() - before;
    return { portfolios: 5_000 };
  };
  const report = await make('large', look);
  expect(report).toMatchObject({ items: 40_000, findings: 3_001, crowded: ['refused'] });
  expect(report.groups).toMatchObject([{ rows: 40_000, sum: '40020000' }]);
  expect((await reports.findings('large', 0, 3_001)).reduce((sum, { rows }) => sum + rows, 0)).toBe(40_000);
  // All items together would need 20 MB or more besides.
  expect(kept).toBeLessThan(20_000_000);
});

// Promise: check-survives-full-disk
test('a report without files is made and shows the fault if the folder cannot be written', async () => {
  const { dir, reports, make } = await openDesk();
  await writeFile(join(dir, 'reports'), 'a file where the folder should be');
  let looked = 0;
  const report = await make(NIGHT, async (sink) => {
    looked += 1;
    await sink.found(foundItem());
    return { portfolios: 1 };
  });
  expect(looked).toBe(1);
  expect(report).toMatchObject({ findings: 1, fault: expect.stringContaining('reports') });
  expect(report).not.toHaveProperty('files');
  expect(await reports.read()).toEqual(report);
});

test('an error of the check itself is thrown unchanged', async () => {
  const { make } = await openDesk();
  let looked = 0;
  const look: NightCheck = async () => {
    looked += 1;
    throw Object.assign(new Error('Redis is gone'), { code: 'ECONNREFUSED' });
  };
  await expect(make(NIGHT, look)).rejects.toThrow('Redis is gone');
  expect(looked).toBe(1);
});

test('a full disk does not stop the check, and the error is thrown at the end', async () => {
  let bytes = 0;
  const to = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      setImmediate(() => done(bytes > 200_000 ? new Error('the disk is full') : null));
    },
  });
  const items = openItems(to);
  for (let line = 1; line <= 5_000; line += 1) await items.add(foundItem({ line }));
  expect(bytes).toBeGreaterThan(200_000);
  expect(bytes).toBeLessThan(300_000);
  await expect(items.end()).rejects.toThrow('the disk is full');
});

test('adding an item waits while the disk is behind', async () => {
  const writes: (() => void)[] = [];
  const to = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void writes.push(done) });
  const items = openItems(to);
  let waits: Promise<void> | undefined;
  for (let line = 1; waits === undefined; line += 1) waits = items.add(foundItem({ line })) ?? undefined;
  let isOver = false;
  const over = waits.then(() => {
    isOver = true;
  });
  await new Promise(setImmediate);
  expect([isOver, writes.length]).toEqual([false, 1]);
  writes[0]?.();
  await over;
  const ended = items.end();
  while (writes.length < 2) await new Promise(setImmediate);
  writes[1]?.();
  await ended;
});
