import type { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { makeHeldDesk } from '../../jobs/story/held-desk.ts';
import { makeAnsweredLately } from '../../src/ledger/rows/answered-lately.ts';
import { openFinishedPortfolio } from '../support/finished-portfolio.ts';
import { openLedger } from '../support/ledger.ts';

test('a row that was held only between the digest and the reading does not stay among the held ones', async () => {
  const { connection, keys, stories, rows, calls, portfolios } = openLedger();
  await connection.zadd(keys.held, 1_000, 'q4/AAAAAAAAAAAAAAAA');
  let between = async () => void (await connection.zadd(keys.held, 2_000, 'q4/BBBBBBBBBBBBBBBB'));
  const heldDigest = async () => {
    const found = await stories.heldDigest();
    await between();
    return found;
  };
  const desk = makeHeldDesk({ stories: { ...stories, heldDigest }, rows, calls, portfolios });
  await desk.ofAccount();
  between = async () => {};
  // Its answer arrived after all.
  await connection.zrem(keys.held, 'q4/BBBBBBBBBBBBBBBB');
  expect(await desk.ofAccount()).toMatchObject({ total: 1, summed: 1 });
});

test('a decline that was taken back does not stay, where it came between the digest and the reading', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { decisions, keys } = context;
  const limit = await decisions.find('bl_q41');
  const { maker } = limit ?? {};
  if (!limit || !maker) throw new Error('no limit');
  const told = { by: 'anna', file: 'later.csv' };
  const decide = async (status: string, total: string, agoMs: number) => {
    const at = new Date(Date.now() - agoMs).toISOString();
    await decisions.decide(limit, { limit: 'bl_q41', status, total, available: total, at, isDated: true }, told);
    await decisions.follow(maker, 'bl_q41', told);
  };
  const connection = (context.ledger as Redis).duplicate();
  onTestFinished(() => connection.disconnect());
  const counted = connection.zcard.bind(connection);
  let between = () => decide('rejected', '', 2_000);
  connection.zcard = (async (key: string) => {
    const count = await counted(key);
    await between();
    return count;
  }) as typeof connection.zcard;
  const { answeredLately } = makeAnsweredLately({ connection, keys });
  const lately = async () => (await answeredLately('declined', 0, new Map([['rejected', 'declined']]))).rows.length;
  await lately();
  between = async () => {};
  await decide('approved', limit.requested, 1_000);
  expect(await lately()).toBe(0);
});
