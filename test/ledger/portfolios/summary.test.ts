import { expect, test } from 'vitest';
import { callsLeft, funnelOf, standingOf, summarize } from '../../../src/ledger/portfolios/summary.ts';
import { ROW_STATES, type RowState, SETTLED_STATES } from '../../../src/ledger/schema/row.ts';
import { openLedger } from '../../support/ledger.ts';

const none = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;
const calls = { company: 0, document: 0, limit: 0, token: 0, throttled: 0 };
const stopped = { company: 0, documents: 0, limit: 0 };

test('every row except cancelled ones is before, at, stopped at or past each step', () => {
  const states = {
    ...none,
    queued: 50,
    company: 4,
    documents: 3,
    limit: 2,
    done: 30,
    skipped: 1,
    refused: 6,
    held: 4,
    cancelled: 9,
  };
  const steps = funnelOf(
    { states, calls: { ...calls, company: 46, document: 5, limit: 33 } },
    { company: 5, documents: 1, limit: 4 },
  );
  expect(steps.map(({ before, at, stopped: there, past }) => [before, at, there, past])).toEqual([
    [50, 4, 5, 41],
    [54, 3, 1, 37],
    [57, 2, 4, 31],
  ]);
  const sums = steps.map((one) => one.before + one.at + one.stopped + one.past);
  // A row that stopped at an earlier step is neither before this step nor past it.
  expect(sums).toEqual([100, 100 - 5, 100 - 5 - 1]);
  expect(steps.map((one) => one.calls)).toEqual([46, 5, 33]);
});

test('before any calls an open row is expected to need one or two calls', () => {
  const states = { ...none, queued: 100 };
  expect(callsLeft(funnelOf({ states, calls }, stopped), states)).toEqual({ fewest: 100, most: 200 });
});

test('after some calls an open row is expected to need as many calls as rows needed so far', () => {
  const states = { ...none, queued: 1_000, done: 100 };
  const left = callsLeft(
    funnelOf({ states, calls: { ...calls, company: 50, document: 200, limit: 100 } }, stopped),
    states,
  );
  expect(left).toEqual({ fewest: 1_000 + 450 + 1_800, most: 1_000 + 550 + 2_200 });
});

test('a portfolio without open rows needs no calls', () => {
  const states = { ...none, done: 100, refused: 3 };
  expect(callsLeft(funnelOf({ states, calls }, { ...stopped, limit: 3 }), states)).toEqual({ fewest: 0, most: 0 });
});

test('done, refused, skipped and cancelled rows are settled, and no held ones', () => {
  expect(SETTLED_STATES).toEqual(['done', 'refused', 'skipped', 'cancelled']);
});

const still = { importing: false, interrupted: false, paused: undefined, finishedMs: 7, states: none };

test.each([
  ['settled', {}],
  ['held', { states: { ...none, done: 5, held: 1 } }],
  ['open', { finishedMs: undefined, states: { ...none, queued: 1, awaiting: 1 } }],
  ['awaiting', { finishedMs: undefined, states: { ...none, done: 1, awaiting: 1 } }],
  ['interrupted', { interrupted: true }],
  ['paused', { interrupted: true, paused: '', states: { ...none, queued: 1 } }],
  ['paused', { paused: '', states: { ...none, held: 1 } }],
  ['settled', { paused: '', states: { ...none, cancelled: 1 } }],
  ['importing', { importing: true, paused: '' }],
] as const)('a portfolio is %s with %j', (standing, change) => {
  expect(standingOf({ ...still, ...change })).toBe(standing);
});

test('an unknown portfolio has no summary', async () => {
  const { portfolios, statusMeanings } = openLedger();
  expect(await summarize('q4', { account: 'a', portfolios, statusMeanings })).toBeUndefined();
});
