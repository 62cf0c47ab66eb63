import { expect, test } from 'vitest';
import { judgeWords } from './measure-words.ts';

const run = { startedMs: 0, finishedMs: 100_000 };

test.each([
  ['an exact estimate', [{ atMs: 20_000, left: { fromS: 80, toS: 80 } }], { worst: 1, outside: 0, silent: 0 }],
  [
    'three times the true time',
    [{ atMs: 50_000, left: { fromS: 150, toS: 150 } }],
    { worst: 3, outside: 1, silent: 0 },
  ],
  ['half of the true time', [{ atMs: 50_000, left: { fromS: 20, toS: 30 } }], { worst: 2, outside: 1, silent: 0 }],
  ['a quarter too much', [{ atMs: 50_000, left: { fromS: 65, toS: 65 } }], { worst: 1.3, outside: 0, silent: 0 }],
  [
    'the first tenth, which does not count',
    [{ atMs: 9_000, left: { fromS: 1, toS: 1 } }],
    { worst: 1, outside: 0, silent: 0 },
  ],
  [
    'the last seconds, which all count as equal',
    [{ atMs: 97_000, left: { fromS: 9, toS: 9 } }],
    { worst: 1, outside: 0, silent: 0 },
  ],
  [
    'no estimate at one of two moments',
    [
      { atMs: 20_000, left: undefined },
      { atMs: 50_000, left: { fromS: 40, toS: 60 } },
    ],
    { worst: 1, outside: 0, silent: 0.5 },
  ],
])('an estimate of the time left is judged: %s', (_name, said, figures) => {
  expect(judgeWords(said, run)).toEqual(figures);
});
