import { expect, test } from 'vitest';
import { makeRowTotals } from '../../../src/ledger/counts/sums.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

test('row totals count the rows of all portfolios by state, and are cached for a while', async () => {
  const { context, ...place } = await openWorkplace();
  const { ledger: connection, keys } = context;
  const totals = makeRowTotals({ connection, keys, keptMs: 60_000 });
  await place.import(buyerLines(3));
  await place.import(buyerLines(5), { portfolio: 'q5' });
  await context.portfolios.pause('q5', 'by request');
  const found = await totals();
  expect(found).toMatchObject({ portfolios: 2, open: 2, paused: 1, toSend: 3, rows: { queued: 8, done: 0, held: 0 } });
  // Another process asks meanwhile, and gets the cached totals.
  await place.import(buyerLines(1), { portfolio: 'q6' });
  expect(await makeRowTotals({ connection, keys })()).toEqual(found);
  await connection.del(keys.rowTotals);
  expect(await totals()).toMatchObject({ portfolios: 3 });
});

test('row totals count more portfolios than one script reads', async () => {
  const { context } = await openWorkplace();
  const { ledger: connection, keys } = context;
  const names = Array.from({ length: 1_001 }, (_, n) => `p${n}`);
  const step = connection.pipeline();
  for (const name of names) {
    step.zadd(keys.portfolios, 1, name);
    step.zadd(keys.rowsInState(name, 'done'), 1, 'row');
    step.hset(keys.portfolio(name), 'finished', '1');
  }
  // A pause does not matter once all rows have ended.
  step.hset(keys.portfolio('p7'), 'paused', 'by request');
  await step.exec();
  const totals = await makeRowTotals({ connection, keys })();
  expect(totals).toMatchObject({ portfolios: 1_001, open: 0, paused: 0, rows: { done: 1_001, refused: 0 } });
});

test('rows that wait for approval are not counted as rows to send', async () => {
  const { context, ...place } = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  await place.import(buyerLines(3));
  const totals = await makeRowTotals({ connection: context.ledger, keys: context.keys })();
  expect(totals).toMatchObject({ open: 1, paused: 0, toSend: 0, rows: { awaiting: 3 } });
});
