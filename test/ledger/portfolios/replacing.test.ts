import { expect, test } from 'vitest';
import type { AskingLine } from '../../../src/ledger/portfolios/replacing.ts';
import { candidatesFor, decideReplacement, otherRequest } from '../../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow } from '../../../src/ledger/rows/buyer-rows.ts';

/** Line 5 of the portfolio's third import, whose row does not exist yet. */
const ASKING: AskingLine = {
  row: { portfolio: 'q4', key: 'new' },
  line: 5,
  importId: '3',
  amount: '7',
  isNamed: false,
};

function known(key: string, changes: Partial<BuyerRow> & { portfolio?: string } = {}): BuyerRow {
  const { portfolio = 'q4', ...others } = changes;
  return {
    row: { portfolio, key },
    amount: '1',
    state: 'refused',
    line: 2,
    importId: '1',
    limit: 'free',
    replaced: undefined,
    ...others,
  };
}

/** A file that contains these rows unchanged, and lines that correct those rows. */
const file = (own: string[] = [], mended: string[] = []) => ({
  has: (key: string) => own.includes(key),
  mends: (key: string) => mended.includes(key),
});

/** The key of the replaced row, or the first words of the problem. */
function decide(rows: BuyerRow[], changes: Partial<AskingLine> = {}, itsFile = file()): string {
  const asking = { ...ASKING, ...changes };
  const decision = decideReplacement(asking, candidatesFor(asking, rows), itsFile);
  return 'problem' in decision ? decision.problem.slice(0, 12) : (decision.replaces?.row.key ?? 'none');
}

const sent = [
  { limit: 'made', state: 'done' },
  { state: 'skipped', limit: 'made' },
] as const;

// Promise: unclear-correction-refused
test.each<[string, BuyerRow[], Partial<AskingLine>, string]>([
  ['the one row that was not sent', [known('a')], {}, 'a'],
  ['the one row even if it is held', [known('a', { state: 'held' })], {}, 'a'],
  ...sent.map((how): [string, BuyerRow[], Partial<AskingLine>, string] => [
    'no row that was sent',
    [known('a', how)],
    {},
    'none',
  ]),
  ['the only unsent row of several', [known('a', sent[0]), known('b')], {}, 'b'],
  ['no row of its own import', [known('a', { importId: '3' })], {}, 'none'],
  ['the row of the same line before', [known('a', { importId: '3', line: 5 })], {}, 'a'],
  ['no row of another portfolio', [known('a', { portfolio: 'q3' })], {}, 'none'],
  ['no row if the line has a request_reference', [known('a')], { isNamed: true }, 'none'],
  ['no row if its own row exists', [known('a'), known('new')], {}, 'none'],
  ['the other row if its own one was cancelled', [known('a'), known('new', { state: 'cancelled' })], {}, 'a'],
  ['a cancelled row', [known('a', { state: 'cancelled' })], {}, 'a'],
  ['none of several cancelled rows', ['a', 'b'].map((key) => known(key, { state: 'cancelled' })), {}, 'none'],
  [
    'no row that was replaced before',
    [known('a', { state: 'cancelled', replaced: { importId: '2', key: 'b' } })],
    {},
    'none',
  ],
  [
    'no row that was cancelled beside its own',
    [known('a', { state: 'cancelled' }), known('new', { state: 'cancelled' })],
    {},
    'none',
  ],
  [
    'no row, with a problem, while one is being sent',
    [known('a', { state: 'limit', limit: 'claimed' })],
    {},
    'The request ',
  ],
  ['no row, with a problem, if there are two candidates', [known('a'), known('b')], {}, 'This buyer h'],
  [
    'no row, with a problem, if a call is in doubt',
    [known('a', { state: 'held', limit: 'unknown' })],
    {},
    'It is unknow',
  ],
  [
    'no row, with a problem, if an earlier line of the file replaced it',
    [known('a', { state: 'cancelled', replaced: { importId: '3', key: 'c' } }), known('c', { importId: '3' })],
    {},
    'An earlier l',
  ],
])('a line corrects %s', (_what, rows, changes, expected) => {
  expect(decide(rows, changes)).toBe(expected);
});

test('rows that the file contains itself, or that its other lines correct, are not replaced', () => {
  expect(decide([known('a'), known('b')], {}, file(['a']))).toBe('b');
  expect(decide([known('a'), known('b')], {}, file(['b'], ['a']))).toBe('none');
});

test('otherRequest finds another request of the buyer, sent or open, the nearest first', () => {
  const far = known('a', { portfolio: 'q3', state: 'done' });
  const near = known('b', { state: 'queued' });
  expect(otherRequest(ASKING, [far, near], undefined)).toBe(near);
  expect(otherRequest(ASKING, [far, near], near)).toBe(far);
  const silent = [known('d', { state: 'cancelled' }), known('new', { portfolio: 'q3', state: 'done', amount: '7' })];
  expect(otherRequest(ASKING, silent, undefined)).toBeUndefined();
  // The same amount under another reference is another request.
  const equal = known('e', { state: 'done', amount: '7' });
  expect(otherRequest(ASKING, [...silent, equal], undefined)).toBe(equal);
  // A refused request matters because it can be retried; a request under way matters more.
  const refused = known('f');
  expect(otherRequest(ASKING, [refused], undefined)).toBe(refused);
  expect(otherRequest(ASKING, [refused, far], undefined)).toBe(far);
});
