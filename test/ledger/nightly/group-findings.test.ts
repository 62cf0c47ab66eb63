import { expect, test } from 'vitest';
import { CROWDED_WORDS, makeFindingGroups } from '../../../src/ledger/nightly/group-findings.ts';
import { foundItem } from '../../support/found-items.ts';

test('items with the same check, portfolio and words form one finding with rows, sum, commands and first examples', () => {
  const groups = makeFindingGroups();
  for (let line = 1; line <= 30; line += 1) {
    groups.add(foundItem({ line, sinceMs: 2_000 - line, command: `resolve q4 --line ${line}` }));
  }
  groups.add(foundItem({ portfolio: 'q5', rows: 4 }));
  groups.add(foundItem({ check: 'no job', says: 'rows in progress had no job; they have one again', isMended: true }));
  const { items, findings, crowded } = groups.result();
  expect([items, crowded]).toEqual([32, []]);
  expect(findings).toMatchObject([
    { check: 'no job', portfolio: 'q4', rows: 1, isMended: true },
    { check: 'refused', portfolio: 'q4', rows: 30, sum: '30015', sinceMs: 1_970, isMended: false },
    { check: 'refused', portfolio: 'q5', rows: 4, sum: '1000.5' },
  ]);
  expect(findings[1]?.commands).toEqual([1, 2, 3, 4, 5].map((line) => `resolve q4 --line ${line}`));
  expect(findings[1]?.examples.map(({ line }) => line)).toEqual(
    Array.from({ length: 20 }, (_none, place) => place + 1),
  );
});

test('items beyond the limit of findings form one finding for each check, with all their rows and sums', () => {
  const groups = makeFindingGroups(10);
  for (let number = 0; number < 1_000; number += 1) {
    groups.add(foundItem({ portfolio: `q${number}`, requested: '0.01' }));
  }
  groups.add(foundItem({ portfolio: 'q3', requested: '5' }));
  groups.add(foundItem({ check: 'held' }));
  const { findings, crowded } = groups.result();
  expect(crowded).toEqual(['held', 'refused']);
  expect(findings).toHaveLength(12);
  expect(findings.find(({ portfolio, check }) => check === 'refused' && portfolio === 'q3')).toMatchObject({
    rows: 2,
    sum: '5.01',
  });
  expect(findings.at(-1)).toMatchObject({
    check: 'refused',
    portfolio: '',
    finding: CROWDED_WORDS,
    rows: 990,
    sum: '9.9',
  });
});

test('very long names and words are cut, so that a report with thousands of findings stays small', () => {
  const groups = makeFindingGroups();
  const long = 'x'.repeat(20_000);
  for (let number = 0; number < 3_000; number += 1) {
    groups.add(foundItem({ says: `${number} ${long}`, name: long, detail: long, command: long }));
  }
  expect(JSON.stringify(groups.result()).length).toBeLessThan(8_000_000);
});

// Promise: alike-items-shown-once
test('items that a reader cannot tell apart become one example with their number of rows', () => {
  const groups = makeFindingGroups();
  const alike = { says: 'a', line: 3, name: 'Muster GmbH', detail: 'q4.csv' };
  groups.add(foundItem(alike));
  groups.add(foundItem({ ...alike, line: 4 }));
  groups.add(foundItem({ ...alike, command: 'check FILE' }));
  const [finding] = groups.result().findings;
  expect(finding?.rows).toBe(3);
  expect(finding?.examples.map(({ line, rows = 1 }) => [line, rows])).toEqual([
    [3, 2],
    [4, 1],
  ]);
});
