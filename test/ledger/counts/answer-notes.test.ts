import { expect, test } from 'vitest';
import { answerNotes } from '../../../src/ledger/counts/not-quite-granted.ts';
import type { AnswerSum } from '../../../src/ledger/counts/sums.ts';

const ANSWER: AnswerSum = {
  status: 'approved',
  share: 'all',
  rows: 3,
  requested: '9.10',
  granted: '9.10',
  available: '9.10',
  unsaid: 0,
};

test.each<[Partial<AnswerSum>, string[]]>([
  [{}, []],
  [{ granted: '1009.105' }, ['More was granted than requested: EUR 1,000.005 above the requests.']],
  // Only an approved status counts as granted.
  [{ status: 'seen', granted: '1009.10' }, []],
  [{ share: 'part', granted: '8.00' }, []],
  [
    { share: 'unknown', granted: '0.00' },
    ['Of 3 approved limits the service named no amount that can be read: how much was granted is not known.'],
  ],
  [
    { status: 'new', share: 'unknown' },
    ['Of 3 limits the outcome is not known: nobody has said what their status means.'],
  ],
  [{ status: '', rows: 1 }, ['Of 1 limit the outcome is not known: no status is known. Bring it.']],
])('the answer %o has the notes %o', (change, words) => {
  const meanings = new Map([['seen', 'review']] as const);
  expect(answerNotes([{ ...ANSWER, ...change }], meanings, { bring: ' Bring it.', currency: 'EUR' })).toEqual(words);
});

test('one note covers limits without a status and limits with an unexplained status', () => {
  const answers = [
    { ...ANSWER, status: 'odd', rows: 1 },
    { ...ANSWER, status: '', rows: 2 },
  ];
  expect(answerNotes(answers, new Map(), { bring: ' Bring it.', currency: 'EUR' })).toEqual([
    'Of 3 limits the outcome is not known: nobody has said what the status of 1 means, and 2 have no status. Bring it.',
  ]);
});
