import { expect, test } from 'vitest';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import { fileOf, soon } from '../../support/decisions-said.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

const DAY_MS = 86_400_000;

/** The decisions in the history of a limit's row, the oldest first. */
async function decidedOf(
  id: string,
  { decisions, stories }: Awaited<ReturnType<typeof openFinishedPortfolio>>['context'],
) {
  const maker = (await decisions.find(id))?.maker;
  const told = maker ? await stories.entries(maker) : [];
  return told.flatMap((entry) => (entry.is === 'decided' ? [entry] : []));
}

test('each of the last 50 of 53 decisions about a limit in one file has what was said before it', async () => {
  const { context } = await openFinishedPortfolio(1);
  const said = Array.from({ length: 53 }, (_one, n) => ['bl_q41', `s${n}`, n] as const);
  expect(await takeDecisions(fileOf(said), context, { by: 'olga' })).toMatchObject({ taken: 53, rows: 1 });
  const told = await decidedOf('bl_q41', context);
  expect(told.map((entry) => `${entry.before?.status} → ${entry.said.status}`)).toEqual(
    Array.from({ length: 50 }, (_one, n) => `s${n + 2} → s${n + 3}`),
  );
});

test('the history of a row that was archived has who brought its decision, which an earlier version kept alone', async () => {
  const { context, archive, restore } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions } = context;
  await archive();
  await takeDecisions(fileOf([['bl_q41', 'declined', 1]]), context, { by: 'anna' });
  const { key = '' } = (await decisions.find('bl_q41')) ?? {};
  await ledger.hset(keys.call('limit', key), 'decided', JSON.stringify({ by: 'anna', file: 'later.csv' }));
  await restore();
  expect(await decidedOf('bl_q41', context)).toMatchObject([{ by: 'anna', file: 'later.csv' }]);
});

test('who repeats a word with a later time has not brought it, though an earlier version kept it alone', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions } = context;
  await takeDecisions(fileOf([['bl_q41', 'declined', 1]]), context, { by: 'anna' });
  const { key = '' } = (await decisions.find('bl_q41')) ?? {};
  await ledger.hset(keys.call('limit', key), 'decided', JSON.stringify({ by: 'anna', file: 'later.csv' }));
  const repeated = { ...fileOf([['bl_q41', 'declined', 2]]), name: 'repeated.csv' };
  expect(await takeDecisions(repeated, context, { by: 'bob' })).toMatchObject({ taken: 0, known: 1 });
  expect((await decisions.find('bl_q41'))?.decidedAt).toBe(soon(2));
  expect((await decisions.find('bl_q41'))?.decided).toMatchObject({ by: 'anna', file: 'later.csv' });
});

test('what was answered lately ends by itself, though the first of several decisions is older than two days', async () => {
  const { context } = await openFinishedPortfolio(2);
  const { ledger, keys, decisions } = context;
  const ids = ['bl_q41', 'bl_q42'];
  // The limits were asked for ten days ago.
  for (const id of ids) {
    const { key = '' } = (await decisions.find(id)) ?? {};
    await ledger.hset(keys.call('limit', key), 'at', `${Date.now() - 10 * DAY_MS}+5`);
  }
  const file = fileOf(ids.map((id) => [id, 'declined', undefined] as const));
  const said = file.decisions.map((one, place) => ({
    ...one,
    decided: new Date(Date.now() - (place === 0 ? 4 * DAY_MS : 60_000)).toISOString(),
  }));
  expect(await takeDecisions({ ...file, decisions: said }, context, { by: 'olga' })).toMatchObject({
    taken: 2,
    rows: 2,
  });
  expect(await ledger.zcard(keys.answeredLately)).toBe(1);
  expect(await ledger.pttl(keys.answeredLately)).toBeGreaterThan(0);
});
