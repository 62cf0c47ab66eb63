import { expect, test } from 'vitest';
import { type Glance, makeGlances } from '../../../src/ledger/counts/glances.ts';
import { openLedger } from '../../support/ledger.ts';

async function openPlace() {
  const { connection, keys, portfolios } = openLedger();
  const glances = makeGlances({ connection, keys });
  return {
    connection,
    keys,
    portfolios,
    async all(): Promise<Glance[]> {
      const pages: Glance[][] = [];
      for await (const page of glances()) pages.push(page);
      return pages.flat();
    },
    /** A portfolio with so many rows in these states. */
    async put(name: string, states: Record<string, number> = {}) {
      await connection.zadd(keys.portfolios, 1, name);
      await connection.hset(keys.portfolio(name), 'started', 1);
      for (const [state, count] of Object.entries(states)) {
        const rows = Array.from({ length: count }, (_, place) => [place, `row ${place}`]).flat();
        await connection.zadd(keys.rowsInState(name, state), ...rows);
      }
    },
  };
}

const NONE = { done: 0, refused: 0, held: 0, isBegun: false };
const NOTHING = { finishedMs: undefined, isPaused: false, pausedItself: undefined, ...NONE };

test('a glance says whether a portfolio is finished, why it paused itself, and how its rows were answered', async () => {
  const { put, all, connection, keys, portfolios } = await openPlace();
  expect(await all()).toEqual([]);
  await put('finished', { done: 4, refused: 2, held: 1, skipped: 3 });
  await connection.hset(keys.portfolio('finished'), 'finished', 1_763_802_000_000);
  await connection.hset(keys.portfolio('finished'), 'paused', 'by request');
  await put('over', { done: 1, cancelled: 1 });
  await connection.hset(keys.portfolio('over'), 'finished', 7, 'paused', 'first', 'firstOver', 'first');
  await put('going on', { queued: 7, company: 1 });
  await put('at its limits', { queued: 7, limit: 1 });
  await put('by a person');
  await portfolios.pause('by a person', 'by request');
  await put('first rows');
  const words = '10 rows were sent first; resume to send the rest';
  await connection.hset(keys.portfolio('first rows'), 'paused', words, 'firstOver', words);
  await put('refused alike');
  const why = `the first 10 answers at the step limit were all refused with status 403: ${'no '.repeat(99)}`;
  await connection.hset(keys.portfolio('refused alike'), 'paused', why);
  const found = await all();
  expect(found).toHaveLength(7);
  expect(found).toEqual(
    expect.arrayContaining([
      {
        ...NOTHING,
        name: 'finished',
        finishedMs: 1_763_802_000_000,
        isPaused: true,
        done: 4,
        refused: 2,
        held: 1,
        isBegun: true,
      },
      { ...NOTHING, name: 'over', finishedMs: 7, done: 1, isBegun: true },
      { ...NOTHING, name: 'going on' },
      { ...NOTHING, name: 'at its limits', isBegun: true },
      { ...NOTHING, name: 'by a person', isPaused: true },
      { ...NOTHING, name: 'first rows', isPaused: true, pausedItself: { is: 'first rows' } },
      {
        ...NOTHING,
        name: 'refused alike',
        isPaused: true,
        pausedItself: { is: 'refused alike', step: 'limit', status: 403 },
      },
    ]),
  );
});

test('of more portfolios than are looked at in one script each is seen once', async () => {
  const { all, connection, keys } = await openPlace();
  const names = Array.from({ length: 1_001 }, (_, place) => `portfolio ${place}`);
  await connection.zadd(keys.portfolios, ...names.flatMap((name, place) => [place, name]));
  expect((await all()).map(({ name }) => name)).toEqual(names);
});
