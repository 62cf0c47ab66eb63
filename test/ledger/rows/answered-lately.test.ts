import { expect, test } from 'vitest';
import { openFinishedPortfolio } from '../../support/finished-portfolio.ts';

const HOUR_MS = 3_600_000;

test('what was answered longer ago, or belongs to no row any more, is not found, and the latest comes first', async () => {
  const { context } = await openFinishedPortfolio(4);
  const { rows, ledger, keys, decisions } = context;
  const meanings = new Map([['rejected', 'declined' as const]]);
  const lately = () => rows.answeredLately('declined', Date.now() - 24 * HOUR_MS, meanings);
  expect(await lately()).toEqual({ rows: [], isAll: true });
  const found: string[] = [];
  for (const id of ['bl_q41', 'bl_q42']) {
    const limit = await decisions.find(id);
    if (!limit?.maker) throw new Error('no limit');
    found.unshift(limit.maker.key);
    const at = new Date().toISOString();
    const word = { limit: id, status: 'rejected', total: '', available: '', at, isDated: true };
    const told = { by: 'anna', file: 'later.csv' };
    await decisions.decide(limit, word, told);
    await decisions.follow(limit.maker, id, told);
    // Redis orders what has one moment by name.
    await ledger.zadd(keys.answeredLately, Date.now() + found.length, `q4/${limit.maker.key}`);
  }
  expect((await lately()).rows.map(({ row }) => row.key)).toEqual(found);
  expect((await lately()).rows[0]).toMatchObject({ importId: '1', requested: '1002.5' });
  await ledger.zadd(keys.answeredLately, Date.now() - 25 * HOUR_MS, `q4/${found[1]}`);
  await ledger.zadd(keys.answeredLately, Date.now(), 'q4/AAAAAAAAAAAAAAAA', Date.now(), 'nonsense');
  expect((await lately()).rows.map(({ row }) => row.key)).toEqual([found[0]]);
  expect(await ledger.pttl(keys.answeredLately)).toBeGreaterThan(47 * HOUR_MS);
});

test('a row that the service approves in the end is no longer among them, and what the row says is read anew then', async () => {
  const { context } = await openFinishedPortfolio(2);
  const { rows, ledger, keys, decisions } = context;
  const meanings = new Map([['rejected', 'declined' as const]]);
  const limit = await decisions.find('bl_q41');
  if (!limit?.maker) throw new Error('no limit');
  const told = { by: 'anna', file: 'later.csv' };
  const decide = async (status: string, total: string, agoMs: number) => {
    const at = new Date(Date.now() - agoMs).toISOString();
    await decisions.decide(limit, { limit: 'bl_q41', status, total, available: total, at, isDated: true }, told);
    if (limit.maker) await decisions.follow(limit.maker, 'bl_q41', told);
    return (await rows.answeredLately('declined', 0, meanings)).rows.length;
  };
  expect(await decide('rejected', '', 3_000)).toBe(1);
  expect(await decide('under_review', '', 2_000)).toBe(0);
  expect(await decide('rejected', '', 1_000)).toBe(1);
  expect(await decide('approved', limit.requested, 0)).toBe(0);
  expect(await ledger.zcard(keys.answeredLately)).toBe(0);
});

test('a later decision counts at the time of which it is, and never later than now', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { ledger, keys, decisions } = context;
  const limit = await decisions.find('bl_q41');
  if (!limit?.maker) throw new Error('no limit');
  const told = { by: 'anna', file: 'later.csv' };
  const decide = async (status: string, ms: number) => {
    const at = new Date(ms).toISOString();
    const word = { limit: 'bl_q41', status, total: '', available: '', at, isDated: true };
    await decisions.decide(limit, word, told);
    if (limit.maker) await decisions.follow(limit.maker, 'bl_q41', told);
    return Number((await ledger.zrange(keys.answeredLately, '0', '-1', 'WITHSCORES'))[1]);
  };
  const ago = Date.now() - 20 * HOUR_MS;
  expect(await decide('rejected', ago)).toBe(ago);
  expect(await decide('refused', ago + 19 * HOUR_MS)).toBe(ago + 19 * HOUR_MS);
  const before = Date.now() - HOUR_MS;
  const noted = await decide('declined', Date.now() + 24 * HOUR_MS);
  expect(noted).toBeGreaterThan(before);
  expect(noted).toBeLessThan(Date.now() + HOUR_MS);
});

test('a decision of three days ago takes the row off what was answered lately', async () => {
  const { context } = await openFinishedPortfolio(1);
  const { rows, ledger, keys, decisions } = context;
  const limit = await decisions.find('bl_q41');
  if (!limit?.maker) throw new Error('no limit');
  // The call was sent twice and in doubt for days, until somebody said today what it had made.
  await ledger.hset(keys.call('limit', limit.key), 'sends', '2');
  await ledger.zadd(keys.answeredLately, Date.now(), `q4/${limit.key}`);
  const meanings = new Map([['rejected', 'declined' as const]]);
  const lately = async () => (await rows.answeredLately('declined', 0, meanings)).rows;
  expect(await lately()).toEqual([]);
  const at = new Date(Date.now() - 72 * HOUR_MS).toISOString();
  const told = { by: 'anna', file: 'later.csv' };
  const word = { limit: 'bl_q41', status: 'rejected', total: '', available: '', at, isDated: true };
  expect(await decisions.decide(limit, word, told)).toBe('taken');
  expect(await decisions.follow(limit.maker, 'bl_q41', told)).toBe('follows');
  expect(await lately()).toEqual([]);
  expect(await ledger.zcard(keys.answeredLately)).toBe(0);
});
