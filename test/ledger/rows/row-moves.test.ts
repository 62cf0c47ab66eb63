import { describe, expect, test } from 'vitest';
import { makeRequest, openLedger, putRow, ROW as row } from '../../support/ledger.ts';

describe('a worker that takes a row up', () => {
  test('takes a waiting row into the step, with what it needs', async () => {
    const { rows, portfolios } = await putRow();
    expect(await rows.begin(row, 'company')).toMatchObject({
      state: 'company',
      request: makeRequest(),
      documentIds: [],
    });
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, company: 1 });
  });

  test('only looks at a row that is at another step', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'limit', companyId: 'company_1' });
  });

  test('does not send a refused row again, at whichever step: an operator puts it back', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    await rows.advance(row, 'limit', 'refused', { problem: { step: 'limit', message: 'no' } });
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'refused' });
    expect(await rows.begin(row, 'limit')).toMatchObject({ state: 'refused' });
    expect(await rows.requeue(row, 'refused')).toBe(true);
    expect(await rows.begin(row, 'limit')).toMatchObject({
      state: 'limit',
      companyId: 'company_1',
      problem: undefined,
    });
  });

  test('only looks at a row that waits for another step: a renewed row must not skip its company', async () => {
    const { rows } = await putRow();
    expect(await rows.begin(row, 'limit')).toMatchObject({ state: 'queued' });
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'company' });
  });

  test('finds no row that nobody imported', async () => {
    const { rows } = openLedger();
    expect(await rows.begin(row, 'company')).toBeUndefined();
  });
});

describe('a worker that moves a row on', () => {
  test('changes nothing where another moved the row first', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    expect(await rows.advance(row, 'company', 'limit', {})).toBe('limit');
    expect(await rows.advance(row, 'company', 'refused', {})).toBe('limit');
  });

  test('moves a held row by a late answer at the step that it is held at, and at no other', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    await rows.advance(row, 'limit', 'held', { problem: { step: 'limit', message: 'lost' } });
    expect(await rows.advance(row, 'company', 'refused', {})).toBe('held');
    expect(await rows.advance(row, 'limit', 'refused', {})).toBe('refused');
  });

  test('is believed that a limit was made, also of a row that was held', async () => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'held', { problem: { step: 'company', message: 'lost' } });
    const record = { status: 'approved', total_limit: '1000' };
    expect(await rows.advance(row, 'limit', 'done', { limit: 'bl_1', record })).toBe('done');
    const state = await portfolios.read('q4');
    expect(state.states).toMatchObject({ held: 0, done: 1 });
    expect(state.statuses).toEqual({ approved: 1 });
    expect((await rows.read([row]))[0]?.problem).toBeUndefined();
  });

  test('counts a status once, however often it comes', async () => {
    const { rows, portfolios } = await putRow();
    for (let time = 0; time < 3; time += 1)
      await rows.advance(row, 'queued', 'done', { record: { status: 'approved' } });
    expect((await portfolios.read('q4')).statuses).toEqual({ approved: 1 });
  });
});

describe('new words of a row', () => {
  const corrected = makeRequest({ limit: { requested_limit: '2000' } });

  test('are not sent by a job of the old ones, nor overwritten by it', async () => {
    const { rows, calls, process } = await putRow();
    await process('a');
    const old = await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1', revision: old?.revision ?? '' });
    await rows.put(row, 2, 'import-2', corrected);
    const limit = { kind: 'limit', key: row.key, row, revision: old?.revision } as const;
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'changed' });
    const problem = { step: 'limit', message: 'no' } as const;
    expect(await rows.advance(row, 'limit', 'refused', { problem, revision: old?.revision ?? '' })).toBe('queued');
    const now = await rows.begin(row, 'company');
    expect(now).toMatchObject({ state: 'company', request: corrected });
    // A job that is at the limit, while Redis is older and has the row at its company, sends nothing either.
    expect(await calls.claim({ ...limit, revision: now?.revision }, { owner: 'a/2', onUnknown: 'hold' })).toEqual({
      is: 'changed',
    });
    await rows.advance(row, 'company', 'limit', { company: 'company_1', revision: now?.revision ?? '' });
    expect(await calls.claim({ ...limit, revision: now?.revision }, { owner: 'a/2', onUnknown: 'hold' })).toMatchObject(
      { is: 'go' },
    );
  });
});

describe('a paused portfolio', () => {
  test('keeps its rows where they are, whoever comes for them, until it goes on', async () => {
    const { rows, portfolios } = await putRow();
    await portfolios.pause('q4', 'by request');
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'queued' });
    await portfolios.resume('q4');
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'company' });
    // A worker that had taken it up puts it back in front of its step.
    expect(await rows.advance(row, 'company', 'limit')).toBe('limit');
    await portfolios.pause('q4', 'by request');
    expect(await rows.advance(row, 'limit', 'queued')).toBe('queued');
    expect(await rows.inState('q4', 'queued', { count: 10 })).toEqual([{ row, line: 2, step: 'limit' }]);
    await portfolios.resume('q4');
    expect(await rows.begin(row, 'limit')).toMatchObject({ state: 'limit' });
  });

  test('cancels a row that is put back at the moment of its cancellation', async () => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await portfolios.pause('q4', 'by request');
    await portfolios.cancel('q4');
    expect(await rows.advance(row, 'company', 'queued')).toBe('cancelled');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, cancelled: 1 });
  });
});
