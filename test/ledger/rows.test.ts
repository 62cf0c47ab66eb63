import { describe, expect, test } from 'vitest';
import { askedOf, stepAfter } from '../../src/ledger/row.ts';
import { makeRequest, openLedger } from '../support/ledger.ts';

const row = { portfolio: 'q4', key: 'row-1' };

async function putRow(changes = {}) {
  const ledger = openLedger();
  await ledger.rows.put(row, 2, 'import-1', makeRequest(changes));
  return ledger;
}

describe('put', () => {
  test('adds a row once, whatever is imported how often', async () => {
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
  ] as const)('finds a row that is %s, by the same words: %s', async (state, answer, after) => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', state, {});
    expect(await rows.put(row, 9, 'import-2', makeRequest())).toBe(answer);
    expect((await portfolios.read('q4')).states[after]).toBe(1);
    expect((await rows.read([row]))[0]).toMatchObject({ line: 9, importId: 'import-2' });
  });

  const mended = makeRequest({ name: 'Mended', limit: { requested_limit: '2000' } });

  test.each(['queued', 'company', 'documents', 'limit', 'refused', 'held', 'cancelled'] as const)(
    'gives a row that is %s the new words, as long as its limit was not sent',
    async (state) => {
      const { rows, portfolios } = await putRow();
      if (state !== 'queued') await rows.begin(row, 'company');
      if (state !== 'queued') await rows.advance(row, 'company', state, { company: 'company_1' });
      expect(await rows.put(row, 9, 'import-2', mended)).toBe('renewed');
      expect((await portfolios.read('q4')).states).toMatchObject({ queued: 1 });
      const [result] = await rows.read([row]);
      expect(result).toMatchObject({ line: 9, step: 'company', companyId: '', request: mended });
    },
  );

  test.each(['claimed', 'unknown', 'made'] as const)('lets a row keep its words when its limit is %s', async (how) => {
    const { rows, calls, process } = await putRow();
    await process('a');
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toMatchObject({ is: 'go' });
    if (how === 'unknown') await calls.doubt(limit, 'a/1', 'reset');
    if (how === 'made') await calls.settle(limit, 'a/1', { id: 'bl_1', record: {}, buyer: 'b' });
    expect(await rows.put(row, 9, 'import-2', mended)).toBe('changed');
    expect((await rows.read([row]))[0]).toMatchObject({ line: 2, request: makeRequest() });
    // Refused or put off, nothing was made, and the next import may mend it.
    if (how !== 'claimed') return;
    await calls.release(limit, 'a/1', 'throttled');
    expect(await rows.put(row, 9, 'import-2', mended)).toBe('renewed');
  });

  test('names a request that was made for another portfolio with another amount', async () => {
    const { rows, calls, process, portfolios } = openLedger();
    await process('a');
    const other = { kind: 'limit', key: row.key, row: { portfolio: 'q3', key: row.key } } as const;
    await calls.claim({ ...other, asked: askedOf(makeRequest()) }, { owner: 'a/1', onUnknown: 'hold' });
    await calls.settle(other, 'a/1', { id: 'bl_1', record: {}, buyer: 'b' });
    expect(await rows.put(row, 2, 'import-1', mended)).toBe('changed');
    expect(await rows.put(row, 2, 'import-1', makeRequest())).toBe('ended');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, skipped: 1 });
  });

  test('skips a request that was made for another portfolio', async () => {
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

describe('begin', () => {
  test('takes a waiting row into the step, with what it needs', async () => {
    const { rows, portfolios } = await putRow();
    expect(await rows.begin(row, 'company')).toMatchObject({
      state: 'company',
      request: makeRequest(),
      documentIds: [],
    });
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, company: 1 });
  });

  test('only looks at a row that is elsewhere', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'limit', companyId: 'company_1' });
  });

  test('sends a refused row again through the step that refused it, and through no other', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    await rows.advance(row, 'limit', 'refused', { problem: { step: 'limit', message: 'no' } });
    expect(await rows.begin(row, 'company')).toMatchObject({ state: 'refused' });
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

  test('knows nothing of a row that nobody imported', async () => {
    const { rows } = openLedger();
    expect(await rows.begin(row, 'company')).toBeUndefined();
  });
});

describe('advance', () => {
  test('loses against whoever moved the row first', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    expect(await rows.advance(row, 'company', 'limit', {})).toBe('limit');
    expect(await rows.advance(row, 'company', 'refused', {})).toBe('limit');
  });

  test('lets a held row take a late answer at the step that it is held at, and at no other', async () => {
    const { rows } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1' });
    await rows.advance(row, 'limit', 'held', { problem: { step: 'limit', message: 'lost' } });
    expect(await rows.advance(row, 'company', 'refused', {})).toBe('held');
    expect(await rows.advance(row, 'limit', 'refused', {})).toBe('refused');
  });

  test('believes a limit that was made, also for a row that was held', async () => {
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

describe('new words', () => {
  const mended = makeRequest({ limit: { requested_limit: '2000' } });

  test('are not sent by a job of the old ones, nor overwritten by it', async () => {
    const { rows, calls, process } = await putRow();
    await process('a');
    const old = await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'limit', { company: 'company_1', revision: old?.revision ?? '' });
    await rows.put(row, 2, 'import-2', mended);
    const limit = { kind: 'limit', key: row.key, row, revision: old?.revision } as const;
    expect(await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' })).toEqual({ is: 'changed' });
    const problem = { step: 'limit', message: 'no' } as const;
    expect(await rows.advance(row, 'limit', 'refused', { problem, revision: old?.revision ?? '' })).toBe('queued');
    const now = await rows.begin(row, 'company');
    expect(now).toMatchObject({ state: 'company', request: mended });
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
    expect(await rows.inState('q4', 'queued', { count: 10 })).toEqual([{ row, step: 'limit' }]);
    await portfolios.resume('q4');
    expect(await rows.begin(row, 'limit')).toMatchObject({ state: 'limit' });
  });

  test('gives up a row that is put back at the moment of its cancellation', async () => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await portfolios.pause('q4', 'by request');
    await portfolios.cancel('q4');
    expect(await rows.advance(row, 'company', 'queued')).toBe('cancelled');
    expect((await portfolios.read('q4')).states).toMatchObject({ queued: 0, cancelled: 1 });
  });
});

test('rows of a state come in the order of their lines, with their steps', async () => {
  const { rows } = openLedger();
  for (const line of [4, 2, 3]) {
    const request = line === 3 ? makeRequest({ companyId: 'company_1' }) : makeRequest();
    await rows.put({ portfolio: 'q4', key: `row-${line}` }, line, 'import-1', request);
  }
  const found = await rows.inState('q4', 'queued', { count: 10 });
  expect(found.map(({ row: { key }, step }) => [key, step])).toEqual([
    ['row-2', 'company'],
    ['row-3', 'limit'],
    ['row-4', 'company'],
  ]);
});

test.each([
  [{}, undefined, 'company'],
  [{ companyId: 'company_1' }, undefined, 'limit'],
  [{ companyId: 'company_1', documents: [{}] }, undefined, 'documents'],
  [{}, 'company', 'limit'],
  [{ documents: [{}] }, 'company', 'documents'],
  [{ documents: [{}] }, 'documents', 'limit'],
] as const)('after %o at %s comes %s', (changes, step, next) => {
  expect(stepAfter(makeRequest(changes as object), step)).toBe(next);
});
