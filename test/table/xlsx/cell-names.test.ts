import { expect, test } from 'vitest';
import { cellName, columnOf } from '../../../src/table/xlsx/cell-names.ts';
import { LIMITS } from '../../../src/table/xlsx/limits.ts';

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
  [LIMITS.columns - 1, 'XFD'],
])('the column at place %i is named %s, and found by that name', (at, letters) => {
  expect(cellName(at, 7)).toBe(`${letters}7`);
  expect(columnOf(`${letters}7`)).toBe(at);
});

test.each(['7', '', 'ZZZZZ1', 'A'.repeat(1_000_000)])(
  'what no cell of a sheet is called has no column in it',
  (name) => {
    const column = columnOf(name);
    expect(column >= 0 && column < LIMITS.columns).toBe(false);
  },
);
