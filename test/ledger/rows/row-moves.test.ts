import { expect, test } from 'vitest';
import type { RowState, Step } from '../../../src/ledger/schema/row.ts';
import { makeRequest, openLedger, putRow, ROW as row } from '../../support/ledger.ts';

/** The fields with which a row is moved into a state. */
const BROUGHT = {
  limit: { company: 'company_1' },
  refused: { problem: { step: 'company', message: 'no' } },
  held: { problem: { step: 'company', message: 'lost' } },
  done: { limit: 'bl_1', record: { status: 'approved', total_limit: '1000' } },
} as Record<string, Parameters<ReturnType<typeof openLedger>['rows']['advance']>[3]>;

/** Runs one step that is written as text, and returns the ledger's answer. */
function act({ rows, portfolios }: ReturnType<typeof openLedger>, words: string): Promise<unknown> {
  const [verb, first = '', second = ''] = words.split(' ');
  if (verb === 'begin') return rows.begin(row, first as Step).then((found) => found?.state);
  if (verb === 'advance') return rows.advance(row, first as RowState, second as RowState, BROUGHT[second] ?? {});
  if (verb === 'requeue') return rows.requeue(row, first as 'refused', second !== 'unasked');
  if (verb === 'import') return rows.put(row, 2, 'import-1', makeRequest());
  if (verb === 'pause') return portfolios.pause('q4', 'by request');
  if (verb === 'resume') return portfolios.resume('q4');
  return first === 'row' ? rows.cancel(row) : portfolios.cancel('q4');
}

const TO_LIMIT = ['begin company', 'advance company limit = limit'];

// Each answer behind "=" shows that the guard of the move before it holds.
test.each<[string, string[]]>([
  ['a worker moves a waiting row to its step', ['begin company = company']],
  ['a worker does not move a row that is at another step', [...TO_LIMIT, 'begin company = limit']],
  ['a renewed row begins with its company', ['begin limit = queued', 'begin company = company']],
  [
    'no job sends a refused row again at any step until an operator puts it back',
    [
      ...TO_LIMIT,
      'advance limit refused',
      'begin company = refused',
      'begin limit = refused',
      'requeue refused = true',
    ],
  ],
  [
    'a row that was put back continues at its step',
    [...TO_LIMIT, 'advance limit refused', 'requeue refused', 'begin limit = limit'],
  ],
  ['of two concurrent moves the first one counts', [...TO_LIMIT, 'advance company refused = limit']],
  [
    'a late answer moves a held row only at the step at which it is held',
    [...TO_LIMIT, 'advance limit held', 'advance company refused = held', 'advance limit refused = refused'],
  ],
  [
    'a made limit ends a row as done, even a held one',
    ['begin company', 'advance company held', 'advance limit done = done'],
  ],
  [
    'a paused portfolio keeps its rows until it is resumed',
    ['pause', 'begin company = queued', 'resume', 'begin company = company'],
  ],
  [
    'a worker returns a row to its queue while its portfolio is paused',
    [...TO_LIMIT, 'pause', 'advance limit queued = queued', 'begin limit = queued', 'resume', 'begin limit = limit'],
  ],
  [
    'a cancellation cancels a row once',
    ['begin company', 'cancel all', 'cancel row = cancelled', 'cancel row = nothing'],
  ],
  ['a cancellation cancels a waiting row when a worker takes it up', ['cancel all', 'begin company = cancelled']],
  [
    'a cancellation cancels a row that is put back in the queue at that moment',
    ['begin company', 'pause', 'cancel all', 'advance company queued = cancelled'],
  ],
  [
    'a cancellation does not affect a row that is imported again later',
    ['cancel all', 'cancel row', 'import = renewed', 'begin company = company'],
  ],
  [
    'a cancellation does not affect a row that a person retries later',
    ['cancel all', 'cancel row', 'requeue cancelled = true', 'begin company = company'],
  ],
  [
    "a cancellation affects a held row that is put back for another row's answer",
    ['begin company', 'advance company held', 'cancel all', 'requeue held unasked = true', 'begin company = cancelled'],
  ],
  [
    'a cancellation keeps a refused row refused if a dashboard retries its job',
    ['begin company', 'advance company refused', 'cancel all', 'begin company = refused'],
  ],
])('%s', async (_what, acts) => {
  const ledger = await putRow();
  for (const one of acts) {
    const [words = '', expected] = one.split(' = ');
    const answer = await act(ledger, words);
    if (expected !== undefined) expect(String(answer), one).toBe(expected);
  }
  const [found] = await ledger.rows.read([row]);
  const { states } = await ledger.portfolios.read('q4');
  expect(Object.entries(states).filter(([, count]) => count !== 0)).toEqual([[found?.state, 1]]);
});

test('a worker gets a row without its earlier problem, and nothing for an unknown row', async () => {
  const { rows } = await putRow();
  expect(await rows.begin(row, 'company')).toMatchObject({ request: makeRequest(), documentIds: [] });
  await rows.advance(row, 'company', 'limit', { company: 'company_1' });
  await rows.advance(row, 'limit', 'refused', { problem: { step: 'limit', message: 'no' } });
  await rows.requeue(row, 'refused');
  expect(await rows.begin(row, 'limit')).toMatchObject({ companyId: 'company_1', problem: undefined });
  expect(await rows.begin({ ...row, key: 'none' }, 'company')).toBeUndefined();
});

test('a status counts once if the same move comes several times', async () => {
  const { rows, portfolios } = await putRow();
  for (let time = 0; time < 3; time += 1) await rows.advance(row, 'queued', 'done', BROUGHT.done ?? {});
  expect((await portfolios.read('q4')).statuses).toEqual({ approved: 1 });
});

const corrected = makeRequest({ limit: { requested_limit: '2000' } });

test('a job of an earlier revision of a row neither sends nor overwrites its new content', async () => {
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
  // A job at the limit sends nothing either while an older Redis has the row at its company.
  expect(await calls.claim({ ...limit, revision: now?.revision }, { owner: 'a/2', onUnknown: 'hold' })).toEqual({
    is: 'changed',
  });
  await rows.advance(row, 'company', 'limit', { company: 'company_1', revision: now?.revision ?? '' });
  expect(await calls.claim({ ...limit, revision: now?.revision }, { owner: 'a/2', onUnknown: 'hold' })).toMatchObject({
    is: 'go',
  });
});

test('a cancellation does not affect a row that is added later', async () => {
  const { rows, portfolios } = await putRow();
  const later = { portfolio: 'q4', key: 'row-2' };
  await portfolios.cancel('q4');
  await rows.put(later, 3, 'import-2', makeRequest());
  expect(await rows.begin(later, 'company')).toMatchObject({ state: 'company' });
  expect(await rows.cancel(later)).toBe('nothing');
});

test('a cancellation waits for a call under way, and does not resend a call in doubt', async () => {
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
  // Without the cancellation it would be sent again under "resend".
  expect(await calls.claim(limit, { owner: 'b/1', onUnknown: 'resend' })).toMatchObject({ is: 'unknown' });
  expect(await rows.cancel(row)).toBe('under way');
});

test.each(['made', 'unknown'] as const)(
  'a cancellation leaves a row whose limit is %s to record that answer, even if it waits',
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

// Promise: nothing-sent-after-cancel
test('a cancellation also cancels rows that an import from before it adds later', async () => {
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

const HELD = { problem: { step: 'limit', message: 'lost' } } as const;

test.each(['made', 'free'] as const)('a row is not held any more once its call is %s', async (how) => {
  const { rows, calls, process } = await putRow({ companyId: 'company_1' });
  await process('a');
  await rows.begin(row, 'limit');
  const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  if (how === 'made') await calls.settle(limit, 'a/1', { id: 'bl_1', record: {}, buyer: 'b' });
  else await calls.release(limit, 'a/1', 'unsent');
  expect(await rows.advance(row, 'limit', 'held', HELD)).toBe('limit');
});

test('a refused row is held if an earlier send of its limit turns out to be in doubt', async () => {
  const { rows, calls, process } = await putRow({ companyId: 'company_1' });
  const { vanish } = await process('a');
  await process('b');
  await rows.begin(row, 'limit');
  const limit = { kind: 'limit', key: row.key, row, revision: '0' } as const;
  await calls.claim(limit, { owner: 'a/1', onUnknown: 'hold' });
  await vanish();
  await calls.claim(limit, { owner: 'b/1', onUnknown: 'hold' });
  await calls.resolve([limit], 'b', undefined);
  await calls.claim(limit, { owner: 'b/2', onUnknown: 'hold' });
  await calls.release(limit, 'b/2', 'refused', { status: 422, body: 'no' });
  await rows.advance(row, 'limit', 'refused', { problem: { step: 'limit', message: 'no' } });
  expect(await rows.advance(row, 'limit', 'held', HELD)).toBe('refused');
  expect(await calls.doubt(limit, 'a/1', 'status 500')).toMatchObject({ sentMs: expect.any(Number) });
  // Said again, since the reply was lost.
  expect(await calls.doubt(limit, 'a/1', 'status 500')).toMatchObject({ sentMs: expect.any(Number) });
  expect(await rows.advance(row, 'limit', 'held', HELD)).toBe('held');
  // The job that got the refusal may write it later, too.
  expect(await rows.advance(row, 'limit', 'refused', { problem: { step: 'limit', message: 'no' } })).toBe('held');
});

test('a row whose request is damaged is refused all the same', async () => {
  const { rows, connection, keys } = await putRow();
  await rows.begin(row, 'company');
  await connection.hset(keys.row(row.portfolio, row.key), 'request', 'damaged');
  expect(await rows.advance(row, 'company', 'refused', BROUGHT.refused ?? {})).toBe('refused');
});
