import { describe, expect, test } from 'vitest';
import { stepAfter } from '../../src/ledger/rows.ts';
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
    ['held', 'settled', 'held'],
    ['done', 'settled', 'done'],
    ['skipped', 'settled', 'skipped'],
  ] as const)('finds a row that is %s: %s', async (state, answer, after) => {
    const { rows, portfolios } = await putRow();
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', state, {});
    expect(await rows.put(row, 9, 'import-2', makeRequest({ name: 'Mended' }))).toBe(answer);
    expect((await portfolios.read('q4')).states[after]).toBe(1);
    const [result] = await rows.read([row]);
    expect(result).toMatchObject({ line: 9, request: { name: answer === 'renewed' ? 'Mended' : 'Muster GmbH' } });
  });

  test('skips a request that was made for another portfolio', async () => {
    const { rows, calls, portfolios } = openLedger();
    const other = { portfolio: 'q3', key: row.key };
    await calls.settle({ kind: 'limit', key: row.key, row: other }, 'a/1', {
      id: 'bl_1',
      record: { status: 'approved' },
      buyer: 'b',
    });
    expect(await rows.put(row, 2, 'import-1', makeRequest())).toBe('settled');
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
