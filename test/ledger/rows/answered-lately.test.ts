import { expect, test } from 'vitest';
import { openDecisions } from '../../support/finished-portfolio.ts';

const HOUR_MS = 3_600_000;

async function openPlace(rows: number) {
  const place = await openDecisions(rows);
  const meanings = new Map([['rejected', 'declined' as const]]);
  const lately = (sinceMs = 0) => place.rows.answeredLately('declined', sinceMs, meanings);
  return { ...place, lately };
}

const agoText = (ms: number) => new Date(Date.now() - ms).toISOString();

test('recent answers are listed latest first, without older ones and without those of unknown rows', async () => {
  const { limitOf, decide, ledger, keys, ...place } = await openPlace(4);
  const lately = () => place.lately(Date.now() - 24 * HOUR_MS);
  expect(await lately()).toEqual({ rows: [], isAll: true });
  const found: string[] = [];
  for (const limit of ['bl_q41', 'bl_q42']) {
    const { maker } = await limitOf(limit);
    found.unshift(maker.key);
    await decide('rejected', { limit });
    // Redis orders entries of the same time by name.
    await ledger.zadd(keys.answeredLately, Date.now() + found.length, `q4/${maker.key}`);
  }
  expect((await lately()).rows.map(({ row }) => row.key)).toEqual(found);
  expect((await lately()).rows[0]).toMatchObject({ importId: '1', requested: '1002.5' });
  await ledger.zadd(keys.answeredLately, Date.now() - 25 * HOUR_MS, `q4/${found[1]}`);
  await ledger.zadd(keys.answeredLately, Date.now(), 'q4/AAAAAAAAAAAAAAAA', Date.now(), 'nonsense');
  expect((await lately()).rows.map(({ row }) => row.key)).toEqual([found[0]]);
  expect(await ledger.pttl(keys.answeredLately)).toBeGreaterThan(47 * HOUR_MS);
});

test('a row that the service approves later is no longer listed as declined lately', async () => {
  const { limitOf, decide, lately, ledger, keys } = await openPlace(2);
  const { requested } = await limitOf();
  const rowsAfter = async (...said: Parameters<typeof decide>) => {
    await decide(...said);
    return (await lately()).rows.length;
  };
  expect(await rowsAfter('rejected', { at: agoText(3_000) })).toBe(1);
  expect(await rowsAfter('under_review', { at: agoText(2_000) })).toBe(0);
  expect(await rowsAfter('rejected', { at: agoText(1_000) })).toBe(1);
  expect(await rowsAfter('approved', { at: agoText(0), total: requested, available: requested })).toBe(0);
  expect(await ledger.zcard(keys.answeredLately)).toBe(0);
});

test('a later decision is listed at its own time, and at the present time if it is in the future', async () => {
  const { decide, ledger, keys } = await openPlace(1);
  const notedMs = async (status: string, ms: number) => {
    await decide(status, { at: new Date(ms).toISOString() });
    return Number((await ledger.zrange(keys.answeredLately, '0', '-1', 'WITHSCORES'))[1]);
  };
  const ago = Date.now() - 20 * HOUR_MS;
  expect(await notedMs('rejected', ago)).toBe(ago);
  expect(await notedMs('refused', ago + 19 * HOUR_MS)).toBe(ago + 19 * HOUR_MS);
  const before = Date.now() - HOUR_MS;
  const noted = await notedMs('declined', Date.now() + 24 * HOUR_MS);
  expect(noted).toBeGreaterThan(before);
  expect(noted).toBeLessThan(Date.now() + HOUR_MS);
});

test('a decision of nine days ago removes the row from the recent answers', async () => {
  const { limitOf, decide, lately, ledger, keys } = await openPlace(1);
  const { key } = await limitOf();
  // The call was sent twice and in doubt for days, until a person gave its id today.
  await ledger.hset(keys.call('limit', key), 'sends', '2');
  await ledger.zadd(keys.answeredLately, Date.now(), `q4/${key}`);
  expect((await lately()).rows).toEqual([]);
  expect(await decide('rejected', { at: agoText(9 * 24 * HOUR_MS) })).toEqual({
    decided: 'taken',
    followed: 'follows',
  });
  expect((await lately()).rows).toEqual([]);
  expect(await ledger.zcard(keys.answeredLately)).toBe(0);
});
