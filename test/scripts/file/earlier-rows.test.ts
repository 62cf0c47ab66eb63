import { expect, test } from 'vitest';
import { earlierRowWords } from '../../../scripts/file/import-file.ts';

const NOTHING = {
  faults: [],
  sha256: '',
  lines: 1,
  rows: 1,
  invalid: 0,
  duplicate: 0,
  requestedBefore: 0,
  revived: 0,
  replaced: 0,
  lacking: 0,
  lackingSent: 0,
  givenUp: 0,
  isPart: false,
  gone: 0,
  unknownOrigin: 0,
};

// Promises: line-of-unknown-origin, lines-no-longer-named
test.each([
  [{}, []],
  [{ requestedBefore: 1 }, ['1 row, requested before.']],
  [{ rows: 3_000, requestedBefore: 3_000 }, ['3,000 rows, all requested before.']],
  [{ rows: 3_000, requestedBefore: 2_999 }, []],
  [{ revived: 1 }, ['1 row that had been given up is requested after all.']],
  [{ replaced: 1 }, ['1 row of an earlier import was replaced by the line of this file that corrects it.']],
  [{ replaced: 2 }, ['2 rows of earlier imports were replaced by the lines of this file that correct them.']],
  [{ givenUp: 1 }, ['1 row of an earlier import that is not in this file was cancelled.']],
  [
    { lacking: 1 },
    [
      '1 row of an earlier import has no valid line in this file, and stays as it is; --replace cancels it. In results, its column import names another file.',
    ],
  ],
  [
    { lacking: 1_200 },
    [
      '1,200 rows of earlier imports have no valid line in this file, and stay as they are; --replace cancels them. In results, their column import names another file.',
    ],
  ],
  [
    { lackingSent: 1 },
    [
      '1 row of an earlier import has no valid line in this file, and stays as it is. In results, its column import names another file.',
    ],
  ],
  [
    { lacking: 1, lackingSent: 12 },
    [
      '13 rows of earlier imports have no valid line in this file, and stay as they are; --replace cancels the one of them that was not sent. In results, their column import names another file.',
    ],
  ],
  [
    { lackingSent: 3, lackingNames: ['Elm\nGmbH', 'Fir'] },
    [
      '3 rows of earlier imports have no valid line in this file (Elm␊GmbH, Fir, …), and stay as they are. In results, their column import names another file.',
    ],
  ],
  // With --replace, too: the file may be incomplete.
  [
    { rows: 0, lacking: 1 },
    [
      '1 row of an earlier import has no valid line in this file, and stays as it is. In results, its column import names another file.',
    ],
  ],
  // An errors file lacks most rows by its nature.
  [{ lacking: 2, isPart: true }, ['2 rows of earlier imports have no valid line in this file, and stay as they are.']],
  [
    { gone: 1, goneFile: 'list 2 (März).csv', isPart: true },
    [
      '1 line of the file imported before this one led to no row and is not in this errors file: report and results no longer name it. To see it, check that file again: npx limitline check "list 2 (März).csv" --portfolio "q4 eu".',
    ],
  ],
  [
    { gone: 1_200 },
    [
      '1,200 lines of the file imported before this one led to no row: report and results no longer name them. To see them, check that file again: npx limitline check FILE --portfolio "q4 eu".',
    ],
  ],
  [
    { unknownOrigin: 2, isPart: true },
    [
      '2 lines of this errors file do not say which lines they were: the cell limitline_from is empty or missing. So it is not known whether report and results still name all lines of the file imported before this one that led to no row.',
    ],
  ],
])('for the counts %o an import prints %o', (changes, words) => {
  expect(earlierRowWords({ ...NOTHING, ...changes }, 'q4 eu')).toEqual(words);
});
