import { expect, test } from 'vitest';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { followLeft } from '../../../jobs/archive/restore-portfolio.ts';
import { takeDecisions } from '../../../jobs/operators/take-decisions.ts';
import type { Context } from '../../../src/context.ts';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

function say(context: Context, by: string, day: string, more: { id?: string; currencies?: string[] } = {}) {
  const decided = `2100-01-${day}T00:00:00.000Z`;
  const decision = { at: 2, id: 'bl_q41', row: '', status: 'declined', total: '0', available: '0', decided, ...more };
  const rest = { silent: 0, problems: [], lacks: [], unread: [], dialect: {} as never };
  return takeDecisions({ name: `${by}.csv`, decisions: [decision], ...rest }, context, { by });
}

test.each(['at once', 'at night if the process was killed'])(
  'a row gets a decision made while archiving it failed, %s',
  async (when) => {
    const { context } = await openFinishedPortfolio(1);
    let taken: Awaited<ReturnType<typeof takeDecisions>> | undefined;
    const archiving = archivePortfolio(context, 'q4', {
      by: 'alice',
      signal: new AbortController().signal,
      onProgress: async ({ step }) => {
        if (step !== 'writing') return;
        taken = await say(context, 'anna', '01');
        await followLeft(context);
        if (when !== 'at once') await context.ledger.hdel(context.keys.portfolio('q4'), 'archive');
        throw new Error('no space left on device');
      },
    });
    await expect(archiving).rejects.toThrow('no space left');
    expect(taken).toMatchObject({ taken: 1, rows: 0, left: 1 });
    expect(taken?.warnings[0]?.message).toContain('The row follows by itself then.');
    if (when !== 'at once') await followLeft(context);
    expect((await context.portfolios.read('q4')).statuses).toEqual({ declined: 1 });
    expect(await context.ledger.exists(context.keys.toFollow)).toBe(0);
  },
);

// Promise: decisions-not-taken-named
test('a decision in another currency than the files of an archived portfolio is refused', async () => {
  const { context, archive, import: bring, finish } = await openFinishedPortfolio(1);
  await bring(['name,country_code,requested_limit,currency', 'Alba GmbH,DE,1000.50,EUR'], { portfolio: 'euros' });
  await finish('euros');
  await archive('euros');
  const id = 'bl_euros1';
  const dollars = await say(context, 'anna', '01', { id, currencies: ['USD'] });
  expect(dollars).toMatchObject({ taken: 0, problems: [{ message: expect.stringContaining('write it in EUR') }] });
  expect(await say(context, 'anna', '01', { id, currencies: ['€'] })).toMatchObject({ taken: 1, problems: [] });
});

test('the history of a restored row shows the author of its decision, not who repeated it', async () => {
  const { context, archive, restore } = await openFinishedPortfolio(1);
  await archive();
  await say(context, 'anna', '01');
  await say(context, 'bob', '02');
  await restore();
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  const told = found ? await context.stories.entries(found.row) : [];
  expect(told.flatMap((one) => (one.is === 'decided' ? [one.by] : []))).toEqual(['anna']);
});

test('two decisions made while a portfolio was archived are both in the history of its row', async () => {
  const { context, archive, restore } = await openFinishedPortfolio(1);
  const { decisions, stories } = context;
  const id = 'bl_q41';
  const row = (await decisions.find(id))?.maker;
  if (!row) throw new Error('no row');
  await archive();
  for (const [file, status, month] of [
    ['first.csv', 'in_progress', '01'],
    ['second.csv', 'rejected', '02'],
  ]) {
    const limit = await decisions.find(id);
    if (!limit) throw new Error('no limit');
    const word = {
      limit: id,
      status: status ?? '',
      total: '',
      available: '',
      at: `2100-${month}-01T00:00:00.000Z`,
      isDated: true,
    };
    expect(await decisions.decide(limit, word, { by: 'anna', file: file ?? '' })).toBe('taken');
    await decisions.follow(row, id, { by: 'anna', file: file ?? '' }).catch(() => {});
  }
  await restore();
  const told = (await stories.entries(row)).flatMap((one) => (one.is === 'decided' ? [one.file] : []));
  expect(told).toEqual(['first.csv', 'second.csv']);
});
