import { expect, test } from 'vitest';
import { markdownTable } from '../../../scripts/bench/markdown-table.ts';

test('columns are as wide as their widest cell, the first aligned left and figures right', () => {
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

test('a cell cannot break the table', () => {
  expect(markdownTable(['a|b'], [['c\nd']]).split('\n')).toEqual(['| a\\|b |', '| ---- |', '| c d  |']);
});
