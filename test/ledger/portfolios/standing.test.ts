import { expect, test } from 'vitest';
import { settledRows, standingOf } from '../../../src/ledger/portfolios/summary.ts';
import { ROW_STATES, type RowState } from '../../../src/ledger/schema/row.ts';

const states = Object.fromEntries(ROW_STATES.map((state) => [state, 1])) as Record<RowState, number>;
const nothing = Object.fromEntries(ROW_STATES.map((state) => [state, 0])) as Record<RowState, number>;

test('settled are the rows of which is known what became of them, and no held one', () => {
  const counts = ROW_STATES.filter((state) => settledRows({ ...nothing, [state]: 1 }) === 1);
  expect(counts).toEqual(['done', 'refused', 'skipped', 'cancelled']);
  expect(settledRows(states)).toBe(4);
});

const still = { importing: false, interrupted: false, paused: undefined, finishedMs: 7, states: nothing };

test.each([
  ['settled', {}],
  ['held', { states: { ...nothing, done: 5, held: 1 } }],
  ['open', { finishedMs: undefined, states: { ...nothing, queued: 1, awaiting: 1 } }],
  ['awaiting', { finishedMs: undefined, states: { ...nothing, done: 1, awaiting: 1 } }],
  ['interrupted', { interrupted: true }],
  ['paused', { interrupted: true, paused: '' }],
  ['importing', { importing: true, paused: '' }],
] as const)('a portfolio is %s where %j', (standing, change) => {
  expect(standingOf({ ...still, ...change })).toBe(standing);
});
