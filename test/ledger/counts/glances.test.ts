import { expect, test } from 'vitest';
import { portfolioChanges } from '../../../jobs/notices/portfolio-changes.ts';
import { makeArchiveSteps } from '../../../src/ledger/archive/archive-steps.ts';
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

test("a glance reports whether a portfolio is finished, why it paused itself, and its rows' results", async () => {
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

test('each portfolio is listed once, also if there are more than one script reads', async () => {
  const { all, connection, keys } = await openPlace();
  const names = Array.from({ length: 1_001 }, (_, place) => `portfolio ${place}`);
  await connection.zadd(keys.portfolios, ...names.flatMap((name, place) => [place, name]));
  expect((await all()).map(({ name }) => name)).toEqual(names);
});

test('a portfolio that is archived between two reads of a glance causes no notice about failures', async () => {
  const { connection, keys } = openLedger();
  await connection.zadd(keys.portfolios, 1, 'q4');
  await connection.hset(keys.portfolio('q4'), { started: 1, finished: 2 });
  const put = (state: 'done' | 'refused', count: number) =>
    connection.zadd(
      keys.rowsInState('q4', state),
      ...Array.from({ length: count }, (_, at) => [at, `${state}${at}`]).flat(),
    );
  await put('done', 100);
  await put('refused', 25);
  const steps = makeArchiveSteps({ connection, keys });
  const state = { is: 'archiving', id: 'a', by: 'nightly', sinceMs: 1, startedMs: 1, finishedMs: 2 } as const;
  // The nightly archiving continues while the reply to the first read is on its way.
  const slow = new Proxy(connection, {
    get(target, name) {
      if (name !== 'zrange') return Reflect.get(target, name, target);
      return async (...args: [string, string, string]) => {
        const names = await target.zrange(...args);
        await steps.begin('q4', state);
        await steps.leave('q4', { ...state, is: 'leaving' });
        for await (const _rows of steps.takeOutRows('q4', 'a'))
          if ((await connection.zcard(keys.rowsInState('q4', 'done'))) === 0) break;
        return names;
      };
    },
  });
  const told = [];
  for await (const page of makeGlances({ connection: slow, keys })())
    for (const glance of page) told.push(...portfolioChanges(glance, {}, { nowMs: 10, sinceMs: 5, failuresAbove: 50 }));
  expect(told.filter(({ tells }) => tells)).toEqual([]);
});
