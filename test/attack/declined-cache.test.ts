import { expect, test } from 'vitest';
import { archivePortfolio } from '../../jobs/archive/archive-portfolio.ts';
import type { Context } from '../../src/context.ts';
import { openFinishedPortfolio } from '../support/finished-portfolio.ts';
import { buyerLines } from '../support/workplace.ts';

const HOUR_MS = 3_600_000;
const MEANINGS = new Map([['rejected', 'declined' as const]]);
const TOLD = { by: 'anna', file: 'later.csv' };

/** What is declined within a day, as the first page asks for it. */
const latelyOf = (context: Context) => () =>
  context.rows.answeredLately('declined', Date.now() - 24 * HOUR_MS, MEANINGS);

async function reject({ decisions }: Context, id: string, ms: number) {
  const limit = await decisions.find(id);
  if (!limit?.maker) throw new Error('no limit');
  const at = new Date(ms).toISOString();
  const word = { limit: id, status: 'rejected', total: '', available: '', at, isDated: true };
  const became = await decisions.decide(limit, word, TOLD);
  await decisions.follow(limit.maker, id, TOLD);
  return { became, row: limit.maker };
}

test('a declined row of a portfolio that was archived while another was imported is not counted any more', async () => {
  const { context, archive, import: bringIn } = await openFinishedPortfolio(1);
  const lately = latelyOf(context);
  await reject(context, 'bl_q41', Date.now());
  expect(await lately()).toMatchObject({ rows: [{}], isAll: true });
  await archive();
  await bringIn(buyerLines(1), { portfolio: 'q5' });
  expect(await lately()).toEqual({ rows: [], isAll: false });
});

test('who looks while a portfolio leaves for its archive does not go on counting its rows once it is archived', async () => {
  const { context } = await openFinishedPortfolio(1);
  const lately = latelyOf(context);
  await reject(context, 'bl_q41', Date.now());
  await archivePortfolio(context, 'q4', {
    by: 'alice',
    signal: new AbortController().signal,
    // The portfolio is off the list here, and its rows are still there.
    onProgress: async ({ step }) => void (step === 'taking rows out' && (await lately())),
  });
  expect(await lately()).toEqual({ rows: [], isAll: false });
});

test('a decision of three days ago is not among what was declined within a day, as one of thirty hours ago is not', async () => {
  const { context } = await openFinishedPortfolio(2);
  const { ledger, keys } = context;
  const lately = latelyOf(context);
  for (const [id, hours] of [
    ['bl_q41', 30],
    ['bl_q42', 72],
  ] as const) {
    const { maker } = (await context.decisions.find(id)) ?? {};
    if (!maker) throw new Error('no limit');
    // The call was sent twice and in doubt for days, until somebody said today what it had made: the row was answered now, without a status.
    await ledger.hset(keys.call('limit', maker.key), 'sends', '2');
    await ledger.zadd(keys.answeredLately, Date.now(), `q4/${maker.key}`);
    expect((await reject(context, id, Date.now() - hours * HOUR_MS)).became).toBe('taken');
  }
  expect((await lately()).rows).toEqual([]);
});

test('what a decision of three days ago changes is seen at once', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { ledger, keys } = context;
  const { maker } = (await context.decisions.find('bl_q41')) ?? {};
  if (!maker) throw new Error('no limit');
  await ledger.hset(keys.call('limit', maker.key), 'sends', '2');
  await ledger.zadd(keys.answeredLately, Date.now(), `q4/${maker.key}`);
  const lately = latelyOf(context);
  expect((await lately()).rows).toEqual([]);
  await reject(context, 'bl_q41', Date.now() - 72 * HOUR_MS);
  const cached = (await lately()).rows.length;
  // Another process, which has nothing in its memory, reads the same Redis.
  const { makeAnsweredLately } = await import('../../src/ledger/rows/answered-lately.ts');
  const other = makeAnsweredLately({ connection: ledger, keys });
  const fresh = (await other.answeredLately('declined', Date.now() - 24 * HOUR_MS, MEANINGS)).rows.length;
  expect(cached).toBe(fresh);
});
