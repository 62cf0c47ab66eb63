import { expect, test } from 'vitest';
import { judgeWords } from './measure-words.ts';

const run = { startedMs: 0, finishedMs: 100_000 };

test.each([
  ['right to the second', [{ atMs: 20_000, left: { fromS: 80, toS: 80 } }], { worst: 1, outside: 0, silent: 0 }],
  ['three times too much', [{ atMs: 50_000, left: { fromS: 150, toS: 150 } }], { worst: 3, outside: 1, silent: 0 }],
  ['half of it', [{ atMs: 50_000, left: { fromS: 20, toS: 30 } }], { worst: 2, outside: 1, silent: 0 }],
  ['a quarter more', [{ atMs: 50_000, left: { fromS: 65, toS: 65 } }], { worst: 1.3, outside: 0, silent: 0 }],
  [
    'the first tenth counts for nothing',
    [{ atMs: 9_000, left: { fromS: 1, toS: 1 } }],
    { worst: 1, outside: 0, silent: 0 },
  ],
  [
    'the last seconds are as good as each other',
    [{ atMs: 97_000, left: { fromS: 9, toS: 9 } }],
    { worst: 1, outside: 0, silent: 0 },
  ],
  [
    'nothing said of half of it',
    [
      { atMs: 20_000, left: undefined },
      { atMs: 50_000, left: { fromS: 40, toS: 60 } },
    ],
    { worst: 1, outside: 0, silent: 0.5 },
  ],
])('%s', (_name, said, figures) => {
  expect(judgeWords(said, run)).toEqual(figures);
});
