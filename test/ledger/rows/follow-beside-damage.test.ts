import { expect, test } from 'vitest';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

const TOLD = { by: 'anna', file: 'later.csv' };

async function decideAll(said: { status: string; total: string }[]) {
  const place = await openFinishedPortfolio(said.length);
  const { decisions } = place.context;
  const at = new Date().toISOString();
  const made = said.map(async (word, number) => {
    const id = `bl_q4${number + 1}`;
    const limit = await decisions.find(id);
    if (!limit?.maker) throw new Error('no limit');
    await decisions.decide(limit, { limit: id, ...word, available: '', at, isDated: true }, TOLD);
    return { id, row: limit.maker };
  });
  return { ...place.context, limits: await Promise.all(made) };
}

const YES = { status: 'approved', total: '5000' };
const NO = { status: 'rejected', total: '' };

test('a damaged list of late answers does not stop a row with an approval that was never in that list', async () => {
  const { decisions, ledger, keys, limits } = await decideAll([YES, NO]);
  await ledger.set(keys.answeredLately, 'damaged');
  const [first] = await Promise.allSettled(limits.map(({ id, row }) => decisions.follow(row, id, TOLD)));
  expect(first).toEqual({ status: 'fulfilled', value: 'follows' });
});

test('a decision that cannot be recorded for its notice is an error, even behind a deleted row in its batch', async () => {
  const { decisions, ledger, keys, limits } = await decideAll([YES]);
  const [only] = limits;
  if (!only) throw new Error('no limit');
  await ledger.set(keys.decidedRows, 'damaged');
  const [, after] = await Promise.allSettled([
    // A row that was deleted meanwhile.
    decisions.follow({ portfolio: 'q4', key: 'AAAAAAAAAAAAAAAA' }, 'bl_q49', TOLD),
    decisions.follow(only.row, only.id, TOLD),
  ]);
  expect(after?.status).toBe('rejected');
});
