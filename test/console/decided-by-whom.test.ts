import { expect, test } from 'vitest';
import { openConsole } from '../support/desk.ts';
import { openFinishedPortfolio } from '../support/finished-portfolio.ts';

test('the page of a row does not attribute a decision to a file that named another time', async () => {
  const { context, dir, env } = await openFinishedPortfolio(1);
  const { decisions } = context;
  const id = 'bl_q41';
  const take = async (by: string, file: string, at: string) => {
    const limit = await decisions.find(id);
    const row = limit?.maker;
    if (!limit || !row) throw new Error('no limit');
    await decisions.decide(
      limit,
      { limit: id, status: 'rejected', total: '', available: '', at, isDated: true },
      { by, file },
    );
    await decisions.follow(row, id, { by, file });
    return row;
  };
  await take('anna', 'january.csv', '2100-01-01T00:00:00.000Z');
  const row = await take('bob', 'february.csv', '2100-02-01T00:00:00.000Z');
  const { get } = await openConsole({ cwd: dir, env });
  const { text } = await get(`/portfolios/q4/rows/${row.key}`);
  const words = text.replace(/<[^>]*>/g, '').replace(/[\u2066-\u2069]/g, '');
  expect(words).toContain('rejected');
  expect(words).not.toMatch(/on 2100-02-01 00:00 UTC, as anna brought in with january\.csv/);
});
