import { expect, test } from 'vitest';
import type { AskingLine } from '../../../src/ledger/portfolios/replacing.ts';
import { candidatesFor, decideReplacement, otherRequest } from '../../../src/ledger/portfolios/replacing.ts';
import type { BuyerRow } from '../../../src/ledger/rows/buyer-rows.ts';

/** Line 5 of the portfolio's third import, whose row is not there yet. */
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

/** A file that asks for these rows as they were, and in which lines say that they mend those. */
const file = (own: string[] = [], mended: string[] = []) => ({
  has: (key: string) => own.includes(key),
  mends: (key: string) => mended.includes(key),
});

/** The key of the row that gives way, or the first words of the problem. */
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
  ['… whatever it waits for', [known('a', { state: 'held' })], {}, 'a'],
  ...sent.map((how): [string, BuyerRow[], Partial<AskingLine>, string] => [
    'none that was sent',
    [known('a', how)],
    {},
    'none',
  ]),
  ['the one that was not, of several', [known('a', sent[0]), known('b')], {}, 'b'],
  ['none of its own import', [known('a', { importId: '3' })], {}, 'none'],
  ['what the very same line was before', [known('a', { importId: '3', line: 5 })], {}, 'a'],
  ['none of another portfolio', [known('a', { portfolio: 'q3' })], {}, 'none'],
  ['none where it has a name of its own', [known('a')], { isNamed: true }, 'none'],
  ['none where its row is there', [known('a'), known('new')], {}, 'none'],
  ['one where its row comes back', [known('a'), known('new', { state: 'cancelled' })], {}, 'a'],
  ['a cancelled one, which asks for nothing', [known('a', { state: 'cancelled' })], {}, 'a'],
  ['none of several that were cancelled', ['a', 'b'].map((key) => known(key, { state: 'cancelled' })), {}, 'none'],
  [
    'none that has given way before',
    [known('a', { state: 'cancelled', replaced: { importId: '2', key: 'b' } })],
    {},
    'none',
  ],
  [
    'none that was cancelled beside its own',
    [known('a', { state: 'cancelled' }), known('new', { state: 'cancelled' })],
    {},
    'none',
  ],
  ['nobody knows while one is being sent', [known('a', { state: 'limit', limit: 'claimed' })], {}, 'The request '],
  ['nobody knows which of two', [known('a'), known('b')], {}, 'This buyer h'],
  ['nobody knows what became of one', [known('a', { state: 'held', limit: 'unknown' })], {}, 'It is unknow'],
  [
    'an earlier line of the file has taken it',
    [known('a', { state: 'cancelled', replaced: { importId: '3', key: 'c' } }), known('c', { importId: '3' })],
    {},
    'An earlier l',
  ],
])('a line takes the place of %s', (_what, rows, changes, expected) => {
  expect(decide(rows, changes)).toBe(expected);
});

test('rows that the file asks for itself, or that other lines of it correct, are replaced by no line', () => {
  expect(decide([known('a'), known('b')], {}, file(['a']))).toBe('b');
  expect(decide([known('a'), known('b')], {}, file(['b'], ['a']))).toBe('none');
});

test('a person is told of another request of the buyer, open or made, the nearest first', () => {
  const far = known('a', { portfolio: 'q3', state: 'done' });
  const near = known('b', { state: 'queued' });
  expect(otherRequest(ASKING, [far, near], undefined)).toBe(near);
  expect(otherRequest(ASKING, [far, near], near)).toBe(far);
  const silent = [known('d', { state: 'cancelled' }), known('new', { portfolio: 'q3', state: 'done', amount: '7' })];
  expect(otherRequest(ASKING, silent, undefined)).toBeUndefined();
  // The same amount under another reference is another request.
  const equal = known('e', { state: 'done', amount: '7' });
  expect(otherRequest(ASKING, [...silent, equal], undefined)).toBe(equal);
  // A refused one is sent besides by whoever retries; what is asked for already goes before it.
  const refused = known('f');
  expect(otherRequest(ASKING, [refused], undefined)).toBe(refused);
  expect(otherRequest(ASKING, [refused, far], undefined)).toBe(far);
});
