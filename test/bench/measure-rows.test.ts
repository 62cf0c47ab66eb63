import { expect, test } from 'vitest';
import { type RowFigures, rowTable } from './measure-rows.ts';

const figures: RowFigures = {
  rowsPerS: 1_000,
  wallS: 11,
  firstCallS: 0.5,
  peakMemoryBytes: 200 * 2 ** 20,
  cpuS: 6,
  redisCpuS: 4,
  redisBytesPerRow: 2_300,
  calls: 20_000,
  madeTwice: 0,
};

/** The cells of a table by the text of its first column. */
function cells(table: string): Record<string, string[]> {
  const rows = table.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  return Object.fromEntries(rows.map(([label, ...values]) => [label, values]));
}

test('the table of runs has medians with their extremes, and ratios round by round', () => {
  const ours = [figures, { ...figures, rowsPerS: 1_200 }, { ...figures, rowsPerS: 900 }];
  const theirs = [2_000, 1_200, 3_600].map((rowsPerS) => ({
    ...figures,
    rowsPerS,
    redisCpuS: undefined,
    redisBytesPerRow: undefined,
  }));
  const results = [
    { name: 'ours', rounds: ours },
    { name: 'theirs', rounds: theirs },
  ];
  expect(cells(rowTable({ rows: 10_000, isKept: true, redisVersion: '7', syncMs: 1, results }))).toMatchObject({
    '10,000 rows, a company and a limit each; median (min–max)': ['ours', 'theirs'],
    'rows a second': ['1,000 (900–1,200)', '2,000 (1,200–3,600)'],
    'peak memory, MiB': ['200', '200'],
    'CPU of its Redis, s': ['4.00', '–'],
    'rows a second: ours ÷ this one': ['–', '0.50 (0.25–1.00)'],
  });
});
