import { describe, expect, test } from 'vitest';
import { askedOf } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger, putRow, ROW as row } from '../../support/ledger.ts';

describe('an import', () => {
  test('adds a row once, however often its line is imported', async () => {
    const { rows, portfolios } = await putRow();
    expect(await rows.put(row, 2, 'import-2', makeRequest())).toBe('open');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 1, done: 0 });
  });

  test.each([
    ['refused', 'renewed', 'queued'],
    ['cancelled', 'renewed', 'queued'],
    ['limit', 'open', 'limit'],
    ['held', 'ended', 'held'],
    ['done', 'ended', 'done'],
    ['skipped', 'ended', 'skipped'],
  ] as const)('leaves or renews an unchanged row by its state: %s is %s', async (state, answer, after) => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', state, {});
    expect(await rows.put(row, 9, 'import-2', makeRequest())).toBe(answer);
    expect((await portfolios.read('q4')).states[after]).toBe(1);
    expect((await rows.read([row]))[0]).toMatchObject({ line: 9, importId: 'import-2' });
  });

  test.each([
    ['before the import began', 1, 'renewed', 'queued'],
    ['while the import was running, as after a lost reply', 0, 'open', 'refused'],
  ] as const)('leaves or renews a row that was refused %s: %s', async (_when, laterMs, answer, after) => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'refused', {});
    const [{ sinceMs = 0 } = {}] = await rows.read([row]);
    expect(await rows.put(row, 2, 'import-1', makeRequest(), '', { began: sinceMs + laterMs })).toBe(answer);
    expect((await portfolios.read('q4')).states[after]).toBe(1);
  });

  test('renews a row that was refused during the import if its line now replaces another row', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'refused', {});
    const other = { portfolio: 'q4', key: 'row-9' };
    await rows.put(other, 9, 'import-1', makeRequest({ limit: { requested_limit: '7' } }));
    const problem = { step: 'limit', message: 'replaced by line 2 of q4.csv' } as const;
    const replacing = { began: 1, key: other.key, problem };
    expect(await rows.put(row, 2, 'import-1', makeRequest(), '', replacing)).toBe('renewed');
    expect((await rows.read([row, other])).map((one) => one?.state)).toEqual(['queued', 'cancelled']);
  });

  test('renews a refused row whose times are missing', async () => {
    const { rows, connection, keys } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'refused', {});
    await connection.hdel(keys.row(row.portfolio, row.key), 'updated', 'since');
    expect(await rows.put(row, 2, 'import-1', makeRequest(), '', { began: 1 })).toBe('renewed');
  });

  const corrected = makeRequest({ name: 'Corrected', limit: { requested_limit: '2000' } });

  // Promise: unsent-row-takes-new-content
  test.each(['queued', 'company', 'documents', 'limit', 'refused', 'held', 'cancelled'] as const)(
    'gives a row in state %s the new content as long as its limit was not sent',
    async (state) => {
      const { rows, portfolios } = await putRow();
      if (state !== 'queued') await rows.begin(row, 'company');
      if (state !== 'queued') await rows.advance(row, 'company', state, { company: 'company_1' });
      expect(await rows.put(row, 9, 'import-2', corrected)).toBe('renewed');
      expect((await portfolios.read('q4')).states).toMatchObject({ queued: 1 });
      const [result] = await rows.read([row]);
      expect(result).toMatchObject({ line: 9, step: 'company', companyId: '', request: corrected });
    },
  );

  test.each(['claimed', 'unknown', 'made'] as const)('keeps the content of a row whose limit is %s', async (how) => {
    const { rows, calls, process } = await putRow();
    await process('a');
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
    if (how === 'unknown') await calls.doubt(limit, 'a/1', 'reset');
    if (how === 'made') await calls.settle(limit, 'a/1', { id: 'bl_1', record: {}, buyer: 'b' });
    expect(await rows.put(row, 9, 'import-2', corrected)).toBe('changed');
    expect((await rows.read([row]))[0]).toMatchObject({ line: 2, request: makeRequest() });
    // After a refusal or a put-off nothing was made, and the next import may correct the row.
    if (how !== 'claimed') return;
    await calls.release(limit, 'a/1', 'throttled');
    expect(await rows.put(row, 9, 'import-2', corrected)).toBe('renewed');
  });

  test('does not add a row whose request was made in another portfolio with another amount', async () => {
    const { rows, calls, process, portfolios } = openLedger();
    await process('a');
    const other = { kind: 'limit', key: row.key, row: { portfolio: 'q3', key: row.key } } as const;
    await calls.claim({ ...other, asked: askedOf(makeRequest()) }, { owner: 'a/1', onUnknown: 'hold' });
    await calls.settle(other, 'a/1', { id: 'bl_1', record: {}, buyer: 'b' });
    expect(await rows.put(row, 2, 'import-1', corrected)).toBe('changed');
    expect(await rows.put(row, 2, 'import-1', makeRequest())).toBe('ended');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, skipped: 1 });
  });

  test('skips a request that was made in another portfolio', async () => {
    const { rows, calls, portfolios } = openLedger();
    const other = { portfolio: 'q3', key: row.key };
    await calls.settle({ kind: 'limit', key: row.key, row: other }, 'a/1', {
      id: 'bl_1',
      record: { status: 'approved' },
      buyer: 'b',
    });
    expect(await rows.put(row, 2, 'import-1', makeRequest())).toBe('ended');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, skipped: 1 });
    expect((await rows.read([row]))[0]).toMatchObject({ limitId: 'bl_1', record: { status: 'approved' } });
  });
});

// Promise: statement-date-is-advice-only
test('the date of statements is stored with a row from its last line, and does not change the request', async () => {
  const { rows, connection, keys } = openLedger();
  const dateOf = async () => (await rows.read([row]))[0]?.statements;
  await rows.put(row, 2, '1', makeRequest(), '', { statements: '2025-12-31' });
  expect(await dateOf()).toBe('2025-12-31');
  await rows.advance(row, 'queued', 'done', { company: 'company_1', limit: 'bl_1' });
  expect(await rows.put(row, 2, '2', makeRequest(), '', { statements: '2026-03-31' })).toBe('ended');
  expect(await dateOf()).toBe('2026-03-31');
  expect(await connection.hget(keys.row('q4', row.key), 'rev')).toBeNull();
  await rows.put(row, 2, '3', makeRequest());
  expect(await dateOf()).toBeUndefined();
  // The same holds for a new row whose request was made already.
  const other = { portfolio: 'q4', key: 'row-2' };
  await connection.hset(keys.call('limit', other.key), { state: 'made', id: 'bl_2', record: '{}' });
  expect(await rows.put(other, 3, '1', makeRequest(), '', { statements: '2026-03-31' })).toBe('ended');
  expect((await rows.read([other]))[0]).toMatchObject({ state: 'skipped', statements: '2026-03-31' });
});
