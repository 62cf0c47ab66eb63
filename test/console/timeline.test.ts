import { describe, expect, test } from 'vitest';
import { spanWords, timelineOf } from '../../src/console/pages/row/timeline.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { KnownCall, StoryEvent } from '../../src/ledger/rows/story.ts';
import type { RowResult } from '../../src/ledger/schema/row.ts';
import type { RowStory, StoryCall } from '../../src/ledger/story/row-story.ts';

const known: KnownImport = { number: 1, id: 'x', fileName: 'q4.csv', reading: '{}', lastMs: 1_000, by: 'anna' };

function storyOf(events: readonly StoryEvent[], result: Partial<RowResult> = {}): RowStory {
  return {
    row: { portfolio: 'q4', key: 'AAAAAAAAAAAAAAAA' },
    result: { state: 'queued', line: 2, importId: '1', sinceMs: 9_000, ...result } as RowResult,
    imports: new Map([['1', known]]),
    begun: 1,
    calls: [],
    approved: undefined,
    entries: events.map((event, place) => ({ ...event, atMs: 2_000 + place })),
    buyerLimits: [],
    events: [],
    others: { count: 1, rows: [], isWhole: true },
    sessions: [],
    givenUp: { by: 'ben', atMs: 8_000 },
    supplier: undefined,
    supplierAwaits: false,
  };
}

const wordsOf = (event: StoryEvent) => String(timelineOf(storyOf([event])).at(-1)?.words).replace(/<[^>]*>/g, '');

test.each([
  [
    JSON.stringify({
      name: 'Acme',
      buyer: 'PfGv',
      limit: { requested_limit: '9', contact: { email: 'a@b.example' } },
      documents: [],
    }),
    'name: Acme\nlimit.requested_limit: 9\nlimit.contact.email: a@b.example',
  ],
  ['{"name":"cut off', '{"name":"cut off'],
])('the former values of a corrected line are shown field by field, unless they are cut off: %s', (before, shown) => {
  expect(timelineOf(storyOf([{ is: 'mended', import: '1', from: 'refused', before }])).at(-1)?.detail).toBe(shown);
});

test.each<[StoryEvent, string]>([
  [
    { is: 'unknown', kind: 'limit', sentMs: 1_000, heard: 'reset' },
    'No answer to the limit call after 1.0 s: it is not known whether the limit was made.',
  ],
  [
    { is: 'unknown', kind: 'limit', sentMs: 1_000, heard: 'status 502: {"error":"no"}' },
    'The service answered 502 Bad Gateway to the limit call after 1.0 s: it is not known whether the limit was made.',
  ],
  [{ is: 'sent again', kind: 'document' }, 'The document call is sent again, as an operator has set up.'],
  [
    { is: 'refused', kind: 'company', status: 422, body: '', late: true },
    'The service refused the company with status 422, late: its outcome had been unknown.',
  ],
  [{ is: 'made late', kind: 'limit', id: 'bl_1' }, 'An answer came after all: the limit was made, bl_1.'],
  [{ is: 'made twice', kind: 'limit', id: 'bl_1', again: 'bl_2' }, 'The limit was made twice: bl_1 and bl_2.'],
  [
    { is: 'failed', step: 'limit', message: 'The service put the row off 30 times' },
    'The service put the row off 30 times.',
  ],
  [{ is: 'retried', by: 'console', from: 'refused' }, 'Sent again by console: it had been rejected by the service.'],
  [
    { is: 'retried', by: 'olivia', from: 'refused', rule: 'k3f9a', night: 2, of: 3 },
    'Sent again at night by rule k3f9a of olivia, night 2 of 3 at most: it had been rejected by the service.',
  ],
  [
    { is: 'asked', by: 'olivia', from: 'refused', rule: 'k3f9a', night: 2, of: 3 },
    "Rule k3f9a of olivia asks to have it go on; it was rejected by the service, and waits for another person's approval.",
  ],
  [
    { is: 'asked', by: 'olivia', from: 'held' },
    "olivia asks to have it go on; it was in need of an answer, and waits for another person's approval.",
  ],
  [{ is: 'retried', by: 'olivia', from: 'held' }, 'Sent again by olivia: it had been in need of an answer.'],
  [{ is: 'resolved', kind: 'limit', by: 'anna' }, 'anna said: the limit was not made and may be sent again.'],
  [{ is: 'resolved', kind: 'limit', by: 'anna', made: 'bl_1' }, 'anna said: the limit was made, bl_1.'],
  [{ is: 'cancelled', by: 'anna' }, 'Cancelled by anna.'],
  [
    {
      is: 'decided',
      by: 'anna',
      file: 'later.csv',
      at: '2026-11-02T10:04:00.000Z',
      said: { status: 'approved', total_limit: '500', available_limit: '400' },
      before: { status: 'in_progress' },
    },
    'The service decided on 2026-11-02 10:04:00 UTC: approved, total 500.00, available 400.00, as anna brought in with later.csv. Before: in_progress.',
  ],
  [
    { is: 'imported again', import: '1', from: 'refused' },
    'The same line came again with q4.csv (import 1 by anna); the row was rejected by the service.',
  ],
  [{ is: 'replaced', import: '7', by: 'k' }, 'A corrected line of import 7 took its place.'],
  [{ is: 'left out', import: '1' }, 'Cancelled, since q4.csv (import 1 by anna) has no valid line for it.'],
])('%j is shown in words', (event, words) => expect(wordsOf(event)).toBe(words));

test.each<[Partial<NonNullable<RowStory['approved']>>, string[]]>([
  [{ answered: { by: 'bob', atMs: 1_500, words: '' } }, ['q4.csv (import 1 by anna) was approved by bob.']],
  [
    { standing: 'declined', answered: { by: 'bob', atMs: 1_500, words: 'too much' } },
    ['q4.csv (import 1 by anna) was declined by bob: too much'],
  ],
  // The settings needed no approval, or nobody has answered yet.
  [{ answered: { by: '', atMs: 1_500, words: '' } }, []],
  [{ standing: 'waiting', answered: undefined }, []],
])('a row’s timeline names the person who answered the approval of its import: %j', (given, told) => {
  const approved = { id: 'a1', standing: 'granted', importId: '1', answered: undefined, ...given } as const;
  const found = timelineOf({ ...storyOf([]), approved }).filter(({ approval }) => approval !== undefined);
  expect(found.map(({ words }) => words)).toEqual(told);
  for (const one of found) expect(one).toMatchObject({ atMs: 1_500, kind: 'person', approval: 'a1' });
});

test('the timeline is sorted by time, and shows a cancellation of the portfolio to rows that it ended', () => {
  const told = (result: Partial<RowResult>) => timelineOf(storyOf([{ is: 'freed' }], result)).map(({ atMs }) => atMs);
  expect(told({ state: 'cancelled', replaced: false })).toEqual([1_000, 2_000, 8_000, 9_000]);
  expect(told({ state: 'cancelled', replaced: true })).toEqual([1_000, 2_000, 9_000]);
  expect(told({ state: 'limit' })).toEqual([1_000, 2_000]);
});

test.each<[string, begun: number, imports: Partial<KnownImport>[], first: string[]]>([
  [
    'another file',
    2,
    [{}, { number: 2, lastMs: 5_000, by: 'root' }],
    ['The row was first imported with q4.csv (import 1 by anna).'],
  ],
  [
    'one of several',
    3,
    [{}, { number: 2, lastMs: 1_500, by: 'ben' }, { number: 3, lastMs: 5_000 }],
    ['The row was first imported with one of: q4.csv (import 1 by anna); q4.csv (import 2 by ben).'],
  ],
  [
    'a file that came again',
    3,
    [{}, { number: 2, lastMs: 5_000, by: 'root' }],
    ['The row was first imported with one of: q4.csv (import 1 by anna); q4.csv (import 2 by root).'],
  ],
  ['the same file only', 2, [{ lastMs: 5_000 }], []],
])('the timeline of a row that was imported again names its first import: %s', (_what, begun, given, first) => {
  const imports = new Map(given.map((one, at) => [String(at + 1), { ...known, ...one }]));
  const story = storyOf([{ is: 'held', step: 'limit', message: '' }], { importId: String(given.length) });
  const words = timelineOf({ ...story, begun, imports }).map((one) => String(one.words));
  expect(words.filter((one) => one.startsWith('The row was first imported'))).toEqual(first);
  expect(words.filter((one) => one.includes('was imported again'))).toHaveLength(1);
});

test('a company that another row made before does not mark the row as imported again', () => {
  const call = { atMs: 500, state: 'made', by: '', sends: 1, id: 'c' } as KnownCall;
  const calls = [
    { step: 'company', kind: 'company', what: 'the company', sent: '', known: call, madeFor: 'q3/K' },
  ] as const;
  const words = timelineOf({ ...storyOf([]), calls: [...calls] }).map((one) => one.words);
  expect(words).toContain('q4.csv (import 1) was imported by anna: the row is its line 2.');
});

test('a call that was sent several times shows the reason, unless another entry gives it', () => {
  const call = { atMs: 3_000, state: 'made', by: '', sends: 2, id: 'c' } as KnownCall;
  const calls = [{ step: 'company', kind: 'company', what: 'the company', sent: '', known: call } as StoryCall];
  const told = (...events: StoryEvent[]) => timelineOf({ ...storyOf(events), calls }).map((one) => String(one.words));
  expect(told()).toContain(
    'The call for the company was sent, for the 2nd time: before, the service put it off or was not reached, and nothing was made.',
  );
  const unknown = { is: 'unknown', kind: 'company', sentMs: 1_000, heard: 'read ECONNRESET' } as const;
  expect(told(unknown)).toContain('The call for the company was sent, for the 2nd time.');
});

test.each([
  ['a person', ['The call for the limit was sent.']],
  ['a results file', []],
])('a call that %s answered says when it was sent, if that is known', (by, told) => {
  const call = { atMs: 3_000, state: 'made', by, sends: 1, id: 'bl_1', tookMs: 5 } as KnownCall;
  const calls = [{ step: 'limit', kind: 'limit', what: 'the limit', sent: '', known: call } as StoryCall];
  const words = timelineOf({ ...storyOf([]), calls }).map((one) => String(one.words));
  expect(words.filter((one) => one.startsWith('The call for') || one.startsWith('The service made'))).toEqual(told);
});

describe('spanWords()', () => {
  test.each([
    [3, '3 ms'],
    [1_249, '1.2 s'],
    [200_000, '3 min 20 s'],
    [-5, '0 ms'],
  ])('%d ms is %s', (ms, words) => expect(spanWords(ms)).toBe(words));
});
