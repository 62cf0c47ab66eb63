import { expect, test } from 'vitest';
import { reportTable } from '../../../scripts/nightly/report-table.ts';
import { widthOf } from '../../../scripts/terminal/width.ts';
import type { NightReport } from '../../../src/ledger/nightly/checks.ts';
import { compareReports, countFindings } from '../../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../../src/ledger/nightly/group-findings.ts';
import { foundItem } from '../../support/found-items.ts';

function tableOf(items: readonly ReturnType<typeof foundItem>[], more: Partial<NightReport> = {}): string {
  const all = makeFindingGroups();
  for (const item of items) all.add(item);
  const before = { id: 'before', madeMs: Date.parse('2026-11-21T01:31:00Z') };
  const gone = { check: 'held' as const, portfolio: 'q1', finding: 'held for a day', rows: 2, isMended: false };
  const { findings, groups } = compareReports(all.result(), { ...before, crowded: [], findings: [gone] });
  const report: NightReport = {
    ...{ id: 'n', account: 'a', by: 'nightly', atMs: 1, beganMs: 1, madeMs: 1, looked: { portfolios: 1 }, items: 1 },
    ...{ findings: countFindings({ groups }), groups, crowded: [], before },
    ...more,
  };
  return reportTable(report, findings, 'this host');
}

test('the report in 80 columns has sections for people, for finance, for corrected and for gone findings', () => {
  const text = tableOf(
    [
      foundItem({ rows: 1_200 }),
      {
        check: 'no job',
        portfolio: 'q4',
        says: 'rows in progress had no job; they have one again',
        rows: 3,
        isMended: true,
      },
      foundItem({
        check: 'calls',
        says: 'rows that are done, and whose call was never settled',
        command: 'resolve q4 --line 7',
      }),
    ],
    { files: { host: 'here', folder: '/data/reports/a/n', items: 'items.csv', page: 'report.html' } },
  );
  expect(text).toBe(`3 findings: 1 for a person, 1 for finance, 1 corrected. Since the report of
2026-11-21 01:31 UTC: 3 new, 1 no more found.

NEEDS AN ANSWER

  Rows that do not agree with their calls (1 row, 1,000.50)
             1  q4: rows that are done, and whose call was never settled,
                1,000.50, since 2025-11-22 [new]
                npx limitline resolve q4 --line 7

FOR FINANCE

  Rejected by the service (1,200 rows, 1,000.50)
         1,200  q4: refused with status 422 at the limit, 1,000.50, the oldest
                since 2025-11-22 [new]
                npx limitline retry q4 --cause k3f9

CORRECTED

  Rows in progress that had no job (3 rows)
             3  q4: rows in progress had no job; they have one again [new]

NO MORE FOUND

  A person must say what became of the request (2 rows)
             2  q1: held for a day

The service shows no way to read anything back, so this compares our own records
with each other and no more: files, portfolios, ledger, queues and buyers’
lists. What the service has may differ.

All items: /data/reports/a/n/items.csv
To print:  /data/reports/a/n/report.html
These files are on the host here.`);
});

test('the report shows the first findings of each check, and no line is longer than 80 columns', () => {
  const odd = foundItem({
    says: `${'漢字'.repeat(90)} \u001b[31mred\n`,
    portfolio: 'p'.repeat(64),
    requested: '9'.repeat(30),
  });
  const text = tableOf(
    [odd, ...Array.from({ length: 2_000 }, (_none, place) => foundItem({ portfolio: `q${place}` }))],
    { fault: `/data/reports cannot be written: ${'the disk is full; '.repeat(9)}` },
  );
  const lines = text.split('\n');
  expect(lines.length).toBeLessThan(60);
  expect(text).toContain('… and 1,991 more findings, which --json and the files have');
  expect(text).toContain('No files were left: /data/reports cannot be written');
  expect(text).not.toContain('\u001b');
  const longest = lines.filter((line) => !line.includes('npx limitline')).map(widthOf);
  expect(Math.max(...longest)).toBeLessThanOrEqual(80);
});

test('when each row of a finding has its own command, the report shows the first as an example', () => {
  const row = (line: number) => foundItem({ line, check: 'held', command: `resolve q4 --line ${line} --made ID` });
  const text = tableOf([row(2), row(3)]);
  expect(text).toContain(
    'npx limitline resolve q4 --line 2 --made ID\n                is for the first of these rows; each row',
  );
  expect(tableOf([row(2)])).not.toContain('the first of these rows');
});

test('the sum of limits that were granted less is labelled as the requested sum', () => {
  const text = tableOf([
    foundItem({ check: 'granted below', says: 'less than requested', requested: '376788.23', granted: '9' }),
  ]);
  expect(text).toContain('Granted less than requested (1 row, requested 376,788.23)');
  expect(text.replace(/\s+/g, ' ')).toContain('q4: less than requested, requested 376,788.23, granted 9.00');
});
