import { expect, test } from 'vitest';
import {
  type Before,
  compareReports,
  countFindings,
  makeFindingGroups,
} from '../../../src/ledger/nightly/compare-reports.ts';
import { foundItem } from '../../support/found-items.ts';

const BEFORE: Before = { id: 'yesterday', madeMs: 1, crowded: [], findings: [] };
const MENDED = foundItem({ check: 'no job', says: 'no job', isMended: true });

/** A night that found so many rows by these words. */
function night(rows: Record<string, number>) {
  const groups = makeFindingGroups();
  for (const [says, count] of Object.entries(rows)) groups.add(foundItem({ says, rows: count }));
  return groups.result();
}

/** What the night after it is compared with. */
function asBefore({ findings, crowded }: ReturnType<typeof night>): Before {
  return { ...BEFORE, crowded, findings: compareReports({ findings, crowded }, undefined).findings };
}

test('a finding is new, has more rows, fewer or the same, or is there no more', () => {
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

test('held rows want a person, whatever else finance is told of', () => {
  const groups = makeFindingGroups();
  groups.add(foundItem({ check: 'held', says: 'outcome unknown', rows: 51 }));
  groups.add(foundItem({ check: 'refused', says: 'no', rows: 3 }));
  const report = compareReports(groups.result(), undefined);
  expect([countFindings(report, 'person'), countFindings(report, 'person', 'rows')]).toEqual([1, 51]);
  expect([countFindings(report, 'finance'), countFindings(report, 'finance', 'rows')]).toEqual([1, 3]);
});

test('what is gone is told of once: the night after it is forgotten', () => {
  const second = compareReports(night({}), asBefore(night({ a: 1 })));
  expect(second.findings).toMatchObject([{ finding: 'a', change: 'gone' }]);
  expect(compareReports(night({}), { ...BEFORE, findings: second.findings }).findings).toEqual([]);
  expect(compareReports(night({ a: 1 }), { ...BEFORE, findings: second.findings }).findings).toMatchObject([
    { change: 'new' },
  ]);
});

test('without a report before nothing is said to be new', () => {
  expect(compareReports(night({ a: 1 }), undefined).findings[0]).not.toHaveProperty('change');
});

test('what was mended the night before is not said to be gone', () => {
  const groups = makeFindingGroups();
  groups.add(MENDED);
  expect(compareReports(night({}), asBefore(groups.result())).findings).toEqual([]);
});

test('of a check that could not tell its findings apart, in either night, nothing is said to be new or gone', () => {
  const crowded = ['refused' as const];
  const before = asBefore(night({ a: 1, b: 1 }));
  expect(compareReports({ ...night({ b: 2, c: 1 }), crowded }, before).findings.map(({ change }) => change)).toEqual([
    'more',
    undefined,
  ]);
  expect(compareReports(night({ c: 1 }), { ...before, crowded }).findings).toMatchObject([{ finding: 'c' }]);
});

test('the parts stand in one order: what wants a person, what is for finance, what was mended, what is gone', () => {
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
