import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markdownTable, numberText, ratiosOf, spreadOf, spreadText } from './figures.ts';

describe('spreadOf', () => {
  test.each([
    [[5], { median: 5, min: 5, max: 5 }],
    [[3, 1, 2], { median: 2, min: 1, max: 3 }],
    [[10, 9, 100], { median: 10, min: 9, max: 100 }],
    [[4, 1, 3, 2], { median: 2.5, min: 1, max: 4 }],
  ])('returns the median and the extremes of %j', (values, spread) => {
    expect(spreadOf(values)).toEqual(spread);
  });

  test('returns the same for any order of the values, and does not change the values', () => {
    // `+ 0` turns -0 into 0, because either of the two zeros may be the median.
    const value = fc.double({ noNaN: true, noDefaultInfinity: true }).map((any) => any + 0);
    const values = fc.array(value, { minLength: 1 });
    fc.assert(
      fc.property(values, (given) => {
        const before = [...given];
        expect(spreadOf(given)).toEqual(spreadOf(given.toReversed()));
        expect(given).toEqual(before);
      }),
    );
  });

  test('throws for an empty list', () => {
    expect(() => spreadOf([])).toThrow(RangeError);
  });
});

test.each([
  [
    [2, 9],
    [4, 3],
    [0.5, 3],
  ],
  [[1, 2, 3], [2], [0.5]],
  [[1], [2, 4], [0.5]],
  [[], [], []],
])('the ratios of %j to %j are computed round by round', (ours, theirs, ratios) => {
  expect(ratiosOf(ours, theirs)).toEqual(ratios);
});

test.each([
  [{ median: 1234.4, min: 1200, max: 1300.6 }, undefined, '1,234 (1,200–1,301)'],
  [{ median: 0.5, min: 0.25, max: 1 }, 2, '0.50 (0.25–1.00)'],
  [{ median: 7, min: 6.9, max: 7.1 }, 0, '7'],
])('%j with %s digits is printed as %s', (spread, digits, text) => {
  expect(spreadText(spread, digits)).toBe(text);
});

test.each([
  [1_000_000, 0, '1,000,000'],
  [0.125, 1, '0.1'],
  [3, 2, '3.00'],
])('%s with %s digits is printed as %s', (value, digits, text) => {
  expect(numberText(value, digits)).toBe(text);
});

test('columns are as wide as their widest cell; the first is aligned left, and figures are aligned right', () => {
  const table = markdownTable(
    ['', 'ours', 'a long name'],
    [
      ['rows a second', '1,234', '5'],
      ['Łódź – 1', '–'],
    ],
  );
  expect(table.split('\n')).toEqual([
    '|               |  ours | a long name |',
    '| ------------- | ----: | ----------: |',
    '| rows a second | 1,234 |           5 |',
    '| Łódź – 1      |     – |             |',
  ]);
});

test('special characters in a cell do not break the table', () => {
  expect(markdownTable(['a|b'], [['c\nd']]).split('\n')).toEqual(['| a\\|b |', '| ---- |', '| c d  |']);
});
