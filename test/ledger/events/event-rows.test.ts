import { expect, test } from 'vitest';
import { eventOf, openEvents } from '../../support/events.ts';
import { makeRequest } from '../../support/ledger.ts';

const numbered = (number: string) =>
  makeRequest({ limit: { requested_limit: '1000', company_registration_number: number } });

async function openRows() {
  const place = openEvents();
  const { rows, connection, keys } = place;
  const put = async (
    portfolio: string,
    key: string,
    ids: { company: string; limit?: string; documents?: string[] },
  ) => {
    const row = { portfolio, key };
    await connection.zadd(keys.portfolios, portfolio.length, portfolio);
    await rows.put(row, 2, '1', numbered(`HRB-7${key}`));
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: ids.company, documents: ids.documents ?? [] });
    if (ids.limit) await rows.advance(row, 'limit', 'done', { limit: ids.limit });
  };
  return { ...place, put };
}

test('an event refers to rows by their limit, document, company or number, in any portfolio', async () => {
  const { events, put } = await openRows();
  await put('q4', 'row-1', { company: 'company_A1', limit: 'bl_1', documents: ['doc-000001'] });
  await put('q5', 'row-2', { company: 'company_A1', limit: 'bl_2' });
  const named = async (...ids: string[]) => {
    const [found] = await events.rowsOf([{ ids }]);
    return found?.rows.map(({ row, of, id }) => [row.portfolio, of, id]).sort();
  };
  expect(await named('bl_2', 'bl_9')).toEqual([['q5', 'limit', 'bl_2']]);
  expect(await named('doc-000001')).toEqual([['q4', 'document', 'doc-000001']]);
  expect(await named('HRB-7row-2')).toEqual([['q5', 'number', 'HRB-7row-2']]);
  // Each row once, by its most specific id.
  expect(await named('company_A1', 'bl_1')).toEqual([
    ['q4', 'limit', 'bl_1'],
    ['q5', 'company', 'company_A1'],
  ]);
  // Ids are compared with case.
  expect(await named('BL_2', 'company_a1', '__proto__', 'bl_')).toEqual([]);
  expect(await events.rowsOf([{ ids: ['bl_1'] }], { portfolio: 'q5' })).toEqual([{ rows: [], moreRows: false }]);
  // Of two portfolios from the same time, the later name counts as the latest.
  expect((await events.rowsOf([{ ids: ['bl_1', 'bl_2'] }], { latest: 1 }))[0]?.rows.map(({ id }) => id)).toEqual([
    'bl_2',
  ]);
  expect(await events.portfolioCount()).toBe(2);
  expect(await events.rowsOf([{ ids: [] }, { ids: ['nothing-1'] }])).toHaveLength(2);
});

test('an event with the second id of a call that was made twice refers to its row', async () => {
  const { events, put, connection, keys } = await openRows();
  await put('q4', 'AAAAAAAAAAAAAAAA', { company: 'company_A1', limit: 'bl_1' });
  await put('q5', 'BBBBBBBBBBBBBBBB', { company: 'company_A2', limit: 'bl_2' });
  const pair = 'limit bl_1 bl_1again';
  await connection.hset(keys.madeTwice, pair, 'q4/AAAAAAAAAAAAAAAA', 'limit bl_0 bl_0again', 'gone/CCCCCCCCCCCCCCCC');
  await connection.hset(keys.row('q4', 'AAAAAAAAAAAAAAAA'), 'again', pair);
  const named = async (ids: string[], into = {}) =>
    (await events.rowsOf([{ ids }], into))[0]?.rows.map(({ row, of, id }) => [row.portfolio, of, id]);
  expect(await named(['bl_1again'])).toEqual([['q4', 'limit', 'bl_1again']]);
  expect(await named(['company_A1', 'bl_1again', 'bl_2'])).toEqual([
    ['q4', 'limit', 'bl_1again'],
    ['q5', 'limit', 'bl_2'],
  ]);
  expect(await named(['bl_1again'], { portfolio: 'q5' })).toEqual([]);
  expect(await named(['bl_0again'])).toEqual([]);
});

test('for a company with many requests ten rows are listed, with a mark that there are more', async () => {
  const { events, put } = await openRows();
  for (let at = 0; at < 12; at += 1) await put('q4', `row-${at}`, { company: 'company_A1' });
  const [found] = await events.rowsOf([{ ids: ['company_A1'] }]);
  expect(found?.rows).toHaveLength(10);
  expect(found?.moreRows).toBe(true);
});

test("an event's ids match neither rows nor events of another account", async () => {
  const [one, other] = [await openRows(), await openRows()];
  await one.put('q4', 'row-1', { company: 'company_A1', limit: 'bl_1' });
  await other.events.keep(eventOf('bl_1'));
  const [event] = await other.all();
  expect(await other.events.rowsOf([{ ids: event?.ids ?? [] }])).toEqual([{ rows: [], moreRows: false }]);
  expect(await one.events.naming(['bl_1'], { count: 9 })).toEqual([]);
});
