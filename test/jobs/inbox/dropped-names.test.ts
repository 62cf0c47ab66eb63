import { expect, test } from 'vitest';
import { kindOfName, portfolioOf, takenName } from '../../../jobs/inbox/dropped-names.ts';

// Promise: part-files-ignored
test.each([
  ['q4.csv', 'buyers'],
  ['Q4.XLSX', 'buyers'],
  ['a.b.csv', 'buyers'],
  ['q4.supplier.csv', 'supplier'],
  ['q4.decisions.supplier.csv', 'buyers'],
  ['q4.csv.part', 'unfinished'],
  ['q4.csv.filepart', 'unfinished'],
  ['q4.csv~', 'unfinished'],
  ['q4.tmp', 'unfinished'],
  ['.q4.csv', 'none'],
  ['~$q4.xlsx', 'none'],
  ['q4.zip', 'none'],
  ['q4.XLS', 'buyers'],
  ['q4.ods', 'buyers'],
  ['q4.txt', 'text'],
  ['q4', 'none'],
  ['done', 'none'],
  ['csv', 'none'],
])('the kind of %s is %s', (name, kind) => expect(kindOfName(name)).toBe(kind));

test.each([
  ['q4.csv', 'q4'],
  ['Buyers Q4 (final).xlsx', 'Buyers Q4 -final-'],
  ['Zu\u0308ge.csv', 'Züge'],
  ['20261122T013000Z-q4.csv', 'q4'],
  ['20261122T013000Z.2-q4.errors.csv', 'q4'],
  ['20261122T013000Z-q4.xlsx.errors.csv', 'q4'],
  ['20261122T013000Z-q4.XLSX.errors-2.csv', 'q4'],
  ['20261122T013000Z-q4.errors.errors.csv', 'q4'],
  ['20261122T013000Z-q4.xlsx.errors-2.errors.csv', 'q4'],
  ['20261122T013000Z-q4-errors.errors.csv', 'q4'],
  ['20261122T013000Z-q4-errors-0a1b (1).errors.errors-2.csv', 'q4'],
  ['20261122T013000Z-q4.errors (1).errors.csv', 'q4'],
  ['20261122T013000Z-q4.xlsx-errors.errors.csv', 'q4.xlsx'],
  ['2-q4.csv', '2-q4'],
  ['portfolio.csv', 'portfolio'],
  ['---.csv', undefined],
  ['q4.decisions.csv', ''],
  ['q4.decisions.supplier.csv', ''],
])('%s is imported into portfolio %s', (name, portfolio) => expect(portfolioOf(name)).toBe(portfolio));

const AT_MS = Date.UTC(2026, 10, 22, 1, 30);

test.each([
  ['q4.csv', 1, '20261122T013000Z-q4'],
  ['q4.csv', 2, '20261122T013000Z.2-q4'],
  ['20261121T013000Z-q4.csv', 1, '20261122T013000Z-q4'],
  ['a\n\u202eb.csv', 1, '20261122T013000Z-ab'],
  ['a:b.csv', 1, '20261122T013000Z-a-b'],
  ['\u202e.csv', 1, '20261122T013000Z-csv'],
])('%j is stored, as number %i of its moment, as %s', (name, number, id) =>
  expect(takenName(name, AT_MS, number)).toBe(id),
);

test('an overlong name is cut between two characters, and leaves room for endings', () => {
  for (const name of [`${'ü'.repeat(125)}.csv`, `${'😀'.repeat(62)}.csv`, `${'a'.repeat(251)}.csv`]) {
    const id = takenName(name, AT_MS, 10);
    expect(Buffer.byteLength(`.${id}.problems.csv.${'1'.repeat(40)}.part`)).toBeLessThan(255);
    expect(id.isWellFormed()).toBe(true);
    expect(id).not.toContain('\ufffd');
  }
});
