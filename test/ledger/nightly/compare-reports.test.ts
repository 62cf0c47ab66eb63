import { expect, test } from 'vitest';
import { type Before, compareReports, countFindings } from '../../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../../src/ledger/nightly/group-findings.ts';
import { foundItem } from '../../support/found-items.ts';

const BEFORE: Before = { id: 'yesterday', madeMs: 1, crowded: [], findings: [] };
const MENDED = foundItem({ check: 'no job', says: 'no job', isMended: true });

/** A night with so many rows for each of these findings. */
function night(rows: Record<string, number>) {
  const groups = makeFindingGroups();
  for (const [says, count] of Object.entries(rows)) groups.add(foundItem({ says, rows: count }));
  return groups.result();
}

/** The report with which the next night is compared. */
function asBefore({ findings, crowded }: ReturnType<typeof night>): Before {
  return { ...BEFORE, crowded, findings: compareReports({ findings, crowded }, undefined).findings };
}

// Promise: report-compares-with-before
test('a finding is marked as new, gone, or with more, fewer or as many rows', () => {
  const before = asBefore(night({ a: 1, b: 5, c: 5, d: 2 }));
  const { findings, groups } = compareReports(night({ a: 3, b: 4, c: 5, e: 9 }), before);
  expect(findings.map(({ finding, change, rowsBefore, rows }) => [finding, change, rowsBefore, rows])).toEqual([
    ['e', 'new', undefined, 9],
    ['c', 'same', 5, 5],
    ['b', 'fewer', 5, 4],
    ['a', 'more', 1, 3],
    ['d', 'gone', 2, 0],
  ]);
  expect(groups).toMatchObject([
    {
      section: 'finance',
      check: 'refused',
      from: 0,
      findings: 4,
      rows: 21,
      changes: { new: 1, same: 1, fewer: 1, more: 1 },
    },
    { section: 'gone', check: 'refused', from: 4, findings: 1, rows: 2, changes: { gone: 1 } },
  ]);
  expect([countFindings({ groups }), countFindings({ groups }, 'gone')]).toEqual([4, 1]);
});

// Promise: report-compares-with-before
test('a finding with equal rows but other sums is marked "sums", unless the earlier report has no granted sums', () => {
  const of = (granted: string, requested = '9') => {
    const groups = makeFindingGroups();
    groups.add(foundItem({ says: 'less', requested, granted }));
    return groups.result();
  };
  const changeOf = (before: Before, now: ReturnType<typeof of>) => compareReports(now, before).findings[0]?.change;
  const before = asBefore(of('5'));
  expect(changeOf(before, of('5.00'))).toBe('same');
  expect(changeOf(before, of('6'))).toBe('sums');
  expect(changeOf(before, of('5', '10'))).toBe('sums');
  const [found] = before.findings;
  const { granted: _none, ...old } = found ?? { granted: '' };
  expect(changeOf({ ...before, findings: [old as NonNullable<typeof found>] }, of('6'))).toBe('same');
});

test("a group's sum has a currency only if all its findings have the same one, and none if they differ", () => {
  const groups = makeFindingGroups();
  for (const portfolio of ['q3', 'q4']) groups.add(foundItem({ says: 'no', portfolio, requested: '9' }));
  const { findings, crowded } = groups.result();
  const totalOf = (...currencies: (string | undefined)[]) => {
    const told = findings.map((one, at) => ({ ...one, ...(currencies[at] && { currency: currencies[at] }) }));
    const [{ sum, currency } = { sum: '', currency: '' }] = compareReports(
      { findings: told, crowded },
      undefined,
    ).groups;
    return { sum, currency };
  };
  expect(totalOf('EUR', 'EUR')).toEqual({ sum: '18', currency: 'EUR' });
  expect(totalOf('EUR', 'USD')).toEqual({});
  expect(totalOf('EUR', undefined)).toEqual({ sum: '18' });
  expect(totalOf(undefined, undefined)).toEqual({ sum: '18' });
});

test('held rows are counted for a person, and refused rows for finance', () => {
  const groups = makeFindingGroups();
  groups.add(foundItem({ check: 'held', says: 'outcome unknown', rows: 51 }));
  groups.add(foundItem({ check: 'refused', says: 'no', rows: 3 }));
  const report = compareReports(groups.result(), undefined);
  expect([countFindings(report, 'person'), countFindings(report, 'person', 'rows')]).toEqual([1, 51]);
  expect([countFindings(report, 'finance'), countFindings(report, 'finance', 'rows')]).toEqual([1, 3]);
});

test('a finding that is gone is reported for one night', () => {
  const second = compareReports(night({}), asBefore(night({ a: 1 })));
  expect(second.findings).toMatchObject([{ finding: 'a', change: 'gone' }]);
  expect(compareReports(night({}), { ...BEFORE, findings: second.findings }).findings).toEqual([]);
  expect(compareReports(night({ a: 1 }), { ...BEFORE, findings: second.findings }).findings).toMatchObject([
    { change: 'new' },
  ]);
});

test('without an earlier report no finding is marked as new', () => {
  expect(compareReports(night({ a: 1 }), undefined).findings[0]).not.toHaveProperty('change');
});

test('a finding that was corrected the night before is not reported as gone', () => {
  const groups = makeFindingGroups();
  groups.add(MENDED);
  expect(compareReports(night({}), asBefore(groups.result())).findings).toEqual([]);
});

test('a check with too many findings in either night reports none as new or gone', () => {
  const crowded = ['refused' as const];
  const before = asBefore(night({ a: 1, b: 1 }));
  expect(compareReports({ ...night({ b: 2, c: 1 }), crowded }, before).findings.map(({ change }) => change)).toEqual([
    'more',
    undefined,
  ]);
  expect(compareReports(night({ c: 1 }), { ...before, crowded }).findings).toMatchObject([{ finding: 'c' }]);
});

test('the report lists findings for a person first, then for finance, then corrected ones, then gone ones', () => {
  const groups = makeFindingGroups();
  groups.add(foundItem());
  groups.add(MENDED);
  groups.add(foundItem({ check: 'calls', says: 'a done row whose call says otherwise' }));
  const { groups: parts } = compareReports(groups.result(), asBefore(night({ other: 1 })));
  expect(parts.map(({ section, check }) => [section, check])).toEqual([
    ['person', 'calls'],
    ['finance', 'refused'],
    ['mended', 'no job'],
    ['gone', 'refused'],
  ]);
});
