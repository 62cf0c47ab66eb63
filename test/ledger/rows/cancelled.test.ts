import { describe, expect, test } from 'vitest';
import { makeRequest, openLedger, putRow, ROW as row } from '../../support/ledger.ts';

describe('a cancellation', () => {
  test('lets no claim succeed from then on, whether the row was moved yet or not', async () => {
    const { rows, calls, portfolios, process } = await putRow();
    await process('a');
    await rows.begin(row, 'company');
    await portfolios.cancel('q4');
    const company = { kind: 'company', key: 'b', row, revision: '0' } as const;
    expect(await calls.claim(company, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'cancelled' });
    expect(await rows.cancel(row)).toBe('cancelled');
    expect(await rows.cancel(row)).toBe('nothing');
    expect((await portfolios.read('q4')).states).toMatchObject({ cancelled: 1, company: 0 });
  });

  test('reaches a row that waited when a worker takes it up, and no row that was brought in later', async () => {
    const { rows, portfolios } = await putRow();
    const later = { portfolio: 'q4', key: 'row-2' };
    await portfolios.cancel('q4');
    await rows.put(later, 3, 'import-2', makeRequest());
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'cancelled' });
    expect(await rows.begin(later, 'company')).toMatchObject({ state: 'company' });
    expect(await rows.cancel(later)).toBe('nothing');
  });

  test.each(['an import', 'a retry'] as const)('does not concern a row any more after %s', async (how) => {
    const { rows, portfolios } = await putRow();
    await portfolios.cancel('q4');
    await rows.cancel(row);
    if (how === 'an import') expect(await rows.put(row, 2, 'import-1', makeRequest())).toBe('renewed');
    else expect(await rows.requeue(row, 'cancelled')).toBe(true);
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'company' });
  });

  test('does not bring back a refused row that a dashboard sends again', async () => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'refused', { problem: { step: 'company', message: 'no' } });
    await portfolios.cancel('q4');
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'refused', problem: { message: 'no' } });
  });

  test('lets a call that is under way be answered, and a call whose outcome is unknown is not sent again', async () => {
    const { rows, calls, portfolios, process } = await putRow();
    const { vanish } = await process('a');
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
    await calls.claim(limit, { owner: 'a/1', onUnknown: 'resend' });
    await portfolios.cancel('q4');
    expect(await rows.cancel(row)).toBe('under way');
    await vanish();
    expect(await rows.cancel(row)).toBe('left');
    // Under "resend" it would be sent again, were it not cancelled.
    expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'resend' })).toMatchObject({ is: 'unknown' });
    expect(await rows.cancel(row)).toBe('under way');
  });

  // Promise: nothing-sent-after-cancel
  test('concerns what an import that began before it still brings in', async () => {
    const { rows, portfolios } = openLedger();
    const run = await portfolios.startImport('q4', { id: 'i', fileName: 'f', reading: '{}' });
    await portfolios.cancel('q4');
    expect(await rows.put(row, 2, 'i', makeRequest(), run.generation)).toBe('ended');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, cancelled: 1 });
    const next = await portfolios.startImport('q4', { id: 'i', fileName: 'f', reading: '{}' });
    expect(await rows.put(row, 2, 'i', makeRequest(), next.generation)).toBe('renewed');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 1, cancelled: 0 });
    await Promise.all([run.end(), next.end()]);
  });

  test.each(['made', 'unknown'] as const)(
    'lets a limit that is %s be written down, also of a row that waits',
    async (how) => {
      const { rows, calls, portfolios, process } = await putRow({ companyId: 'company_1' });
      await process('a');
      await rows.begin(row, 'limit');
      const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
      await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
      if (how === 'made') await calls.settle(limit, 'a/1', { id: 'bl_1', record: {}, buyer: 'b' });
      else await calls.doubt(limit, 'a/1', 'reset');
      await rows.advance(row, 'limit', 'queued');
      await portfolios.cancel('q4');
      expect(await rows.cancel(row)).toBe('under way');
      expect(await rows.begin(row, 'limit')).toMatchObject({ state: 'limit' });
      expect(await calls.claim(limit, { owner: 'a/2', onUnknown: 'resend' })).toMatchObject({ is: how });
    },
  );

  test('still concerns a row that is sent again without being meant itself', async () => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'lost' } });
    await portfolios.cancel('q4');
    expect(await rows.requeue(row, 'held', false)).toBe(true);
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'cancelled' });
  });
});
