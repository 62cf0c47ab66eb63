import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_MORE_WORDS } from '../../../src/ledger/nightly/compare-reports.ts';
import { decided, openConsole, openContextOf, openDesk } from '../../support/desk.ts';

// Promise: last-report-again
test('reconcile writes a report and its files and prints their folder; --last prints the report again', async () => {
  const desk = await openDesk(2);
  expect(await desk.limitline('reconcile', '--last')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('has no report yet; npx limitline reconcile makes one'),
  });
  await desk.limitline('import', 'q4.csv');
  const calm = await desk.limitline('reconcile');
  expect(calm).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Nothing was found: all that we keep agrees\.\n/),
  });
  expect(calm.stdout.replace(/\s+/g, ' ')).toContain(NO_MORE_WORDS);

  const context = await openContextOf(desk);
  await context.ledger.hincrby(context.keys.sums('q4', 'a'), 'rows', 5);
  const found = await desk.limitline('reconcile', '--json');
  expect(found.status).toBe(2);
  const { findings, gone, report } = JSON.parse(found.stdout);
  expect(findings).toMatchObject([{ portfolio: 'q4', check: 'counts', change: 'new', isMended: true }]);
  expect([gone, report.by]).toEqual([[], expect.stringContaining('command line')]);
  expect(await readFile(join(report.files.folder, 'items.csv'), 'utf8')).toContain(
    '\r\nCorrected,ledger,Counts and sums',
  );
  expect(await readFile(join(report.files.folder, 'report.html'), 'utf8')).toContain('<title>Nightly report of ');

  const again = await desk.limitline('reconcile', '--last');
  expect(again.status).toBe(2);
  expect(again.stdout).toMatch(/^1 finding, corrected\. Since the report of .*: 1 new\.\n/);
  expect(again.stdout).toContain(`${report.files.folder}/report.html`);
  expect(await context.reports.list({ count: 9 })).toHaveLength(2);
  const { entries } = await context.audit.read.page({ count: 9, walk: 9, filter: { what: 'ledger reconciled' } });
  expect(entries).toHaveLength(4);
  expect(entries[0]?.facts).toEqual({ count: 1, items: 1, report: report.id });
});

// Promise: long-reviews-are-named
test('with REVIEW_DAYS, reconcile reports long reviews for each portfolio with their sum and the oldest date', async () => {
  const rules = [1, 2, 3].map((buyer) => decided(buyer, 'in_progress'));
  const desk = await openDesk(5, { rules }, { REVIEW_DAYS: '14' });
  await desk.limitline('run', 'q4.csv', '--no-results');
  const context = await openContextOf(desk);
  const rows = await context.rows.inState('q4', 'done', { count: 9 });
  const agedDays = [15, 40, 13, 99, 99];
  for (const [at, { row }] of rows.entries()) {
    const updated = Date.now() - (agedDays[at] ?? 0) * 86_400_000;
    await context.ledger.hset(context.keys.row('q4', row.key), 'updated', String(updated));
    await context.ledger.zadd(context.keys.changed('q4'), updated, row.key);
  }
  const longOnes = async () => {
    const { findings } = await desk.json('reconcile');
    return findings.filter(({ check }: { check: string }) => check === 'long review');
  };
  // Without a meaning for the status, no row is under review.
  expect(await longOnes()).toEqual([]);
  await desk.limitline('statuses', 'in_progress', '--means', 'review');
  const [found, ...others] = await longOnes();
  expect(others).toEqual([]);
  expect(found).toMatchObject({ portfolio: 'q4', finding: 'under review for longer than 14 days', rows: 2 });
  expect(found).toMatchObject({ sum: '2004', commands: [], isMended: false });
  const oldest = new Date(found.sinceMs).toISOString().slice(0, 10);
  expect(Date.now() - found.sinceMs).toBeGreaterThan(40 * 86_400_000 - 60_000);
  const { stdout, status } = await desk.limitline('reconcile', '--last');
  expect(status).toBe(2);
  expect(stdout).toContain('Under review for long (2 rows, 2,004.00)');
  expect(stdout.replace(/\s+/g, ' ')).toContain(`14 days, 2,004.00, the oldest since ${oldest} [new]`);
  const { get } = await openConsole(desk);
  const page = (await get('/nightly')).text;
  expect(page).toContain('under review for longer than 14 days');
  expect(page).toMatch(new RegExp(`the oldest since <time [^>]*>${oldest}</time>`));
});
