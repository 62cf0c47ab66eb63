import { expect, test } from 'vitest';
import { portfolioChanges } from '../../../jobs/notices/portfolio-changes.ts';
import { makeArchiveSteps } from '../../../src/ledger/archive/archive-steps.ts';
import { makeGlances } from '../../../src/ledger/counts/glances.ts';
import { openLedger } from '../../support/ledger.ts';

test('a portfolio that leaves between two reads of a look is not told of as failing', async () => {
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
  // A night's archiving gets on while the reply to the first read is on its way.
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
