import { expect, test } from 'vitest';
import { openFinishedPortfolio } from '../support/finished-portfolio.ts';

test('a damaged list of late answers harms no row whose answer does not belong there', async () => {
  const { context } = await openFinishedPortfolio(2);
  const { decisions, ledger, keys } = context;
  const told = { by: 'anna', file: 'later.csv' };
  const limits = await Promise.all(['bl_q41', 'bl_q42'].map((id) => decisions.find(id)));
  const at = new Date().toISOString();
  await ledger.set(keys.answeredLately, 'damaged');
  const follow = limits.map(async (limit, place) => {
    if (!limit?.maker) throw new Error('no limit');
    const id = `bl_q4${place + 1}`;
    const said = place === 0 ? { status: 'rejected', total: '' } : { status: 'approved', total: '5000' };
    await decisions.decide(limit, { limit: id, ...said, available: '', at, isDated: true }, told);
    return { id, maker: limit.maker };
  });
  const made = await Promise.all(follow);
  const answers = await Promise.allSettled(made.map(({ id, maker }) => decisions.follow(maker, id, told)));
  expect(answers[1]).toEqual({ status: 'fulfilled', value: 'follows' });
});
