import { expect, test } from 'vitest';
import { decisionsWords, foreseenWords } from '../../../jobs/operators/upload-decisions.ts';
import type { DecisionsTaken } from '../../../src/ledger/plans/decisions-taken.ts';

const TAKEN: DecisionsTaken = {
  taken: 2,
  known: 0,
  silent: 0,
  rows: 2,
  left: 0,
  statuses: { no: 2 },
  unexplained: [],
  problems: [],
  warnings: [],
};

const above = (at: number) => ({
  at,
  message: 'The limit bl_1 is 2,000.00, more than the 1,000.00 that was asked for.',
});

// Promise: lowered-approval-warned
test.each([
  [{}, ['2 decisions taken (2 no) for 2 rows, 0 known already, 0 not taken.']],
  [{ rows: 0 }, ['2 decisions taken (2 no), without a change of any row, 0 known already, 0 not taken.']],
  [
    { rows: 0, left: 1 },
    [
      '2 decisions taken (2 no), 0 known already, 0 not taken.',
      '1 row does not follow the decision yet: see the warnings.',
    ],
  ],
  [
    { warnings: [above(2), { at: 2, message: 'Something else.' }, above(3)] },
    [
      '2 decisions taken (2 no) for 2 rows, 0 known already, 0 not taken.',
      '2 decisions have a limit above the amount that was requested: see the warnings.',
    ],
  ],
])('for decisions %o the summary is %o', (change, words) => {
  expect(decisionsWords({ ...TAKEN, ...change })).toEqual(words);
});

test('the words for an archived row leave out a requested amount that is unknown', () => {
  const [before, after] = [
    { status: 'approved', granted: '1270.8' },
    { status: 'declined', granted: '' },
  ];
  const row = { row: 'q4/a', name: '', currency: undefined, decided: undefined, before, after };
  expect(foreseenWords({ rows: [{ ...row, requested: '' }], more: 0 })).toEqual([
    'q4/a: approved → declined, granted 1,270.80 → none',
  ]);
  expect(foreseenWords({ rows: [{ ...row, requested: '2000' }], more: 0 })).toEqual([
    'q4/a, 2,000.00 requested: approved → declined, granted 1,270.80 → none',
  ]);
});
