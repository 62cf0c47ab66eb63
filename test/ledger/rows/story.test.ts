import { expect, test } from 'vitest';
import { makeStories } from '../../../src/ledger/rows/story.ts';
import { makeRequest, openLedger, ROW } from '../../support/ledger.ts';

async function openStory() {
  const ledger = openLedger();
  await ledger.rows.put(ROW, 2, '1', makeRequest());
  const stories = makeStories(ledger);
  const told = async () => (await stories.entries(ROW)).map(({ is }) => is);
  return { ...ledger, stories, told };
}

const company = { kind: 'company', key: 'buyer-of-muster', row: ROW, revision: '0' } as const;
const limit = { kind: 'limit', key: ROW.key, row: ROW, revision: '0' } as const;
const hold = (owner: string) => ({ owner, onUnknown: 'hold' }) as const;

test('a row without problems has no history, and its calls have their times and durations', async () => {
  const { connection, keys, rows, calls, stories } = await openStory();
  await rows.begin(ROW, 'company');
  for (const thing of [company, limit]) {
    await calls.claim(thing, hold('a/1'));
    await calls.settle(thing, 'a/1', { id: `${thing.kind}_1`, record: {}, buyer: 'buyer-of-muster' });
  }
  await rows.advance(ROW, 'company', 'limit', { company: 'company_1' });
  await rows.advance(ROW, 'limit', 'done', { limit: 'limit_1' });
  expect(await connection.exists(keys.story(ROW.portfolio, ROW.key))).toBe(0);
  const [first] = await stories.calls([company, { kind: 'document', key: 'none' }]);
  expect(first).toMatchObject({ state: 'made', id: 'company_1', sends: 1, row: 'q4/row-1' });
  expect(Date.now() - (first?.atMs ?? 0)).toBeLessThan(60_000);
  expect(first?.tookMs).toBeLessThan(60_000);
  expect(await stories.buyerLimits('buyer-of-muster', 10)).toEqual(['limit_1']);
});

test("the history of a row has a refusal with the service's answer, and who retried it", async () => {
  const { rows, calls, stories } = await openStory();
  await rows.begin(ROW, 'company');
  await calls.claim(company, hold('a/1'));
  const body = `<script>alert(1)</script>${'x'.repeat(3_000)}`;
  await calls.release(company, 'a/1', 'refused', { status: 422, body });
  // The reply was lost, and the script runs again.
  await calls.release(company, 'a/1', 'refused', { status: 422, body });
  await rows.advance(ROW, 'company', 'refused', { problem: { step: 'company', message: 'no', status: 422, body } });
  await rows.requeue(ROW, 'refused', true, { by: 'console' });
  await rows.requeue(ROW, 'refused', true, { by: 'console' });
  const [refused, retried, ...more] = await stories.entries(ROW);
  expect(refused).toMatchObject({ is: 'refused', kind: 'company', status: 422, body: body.slice(0, 1_000) });
  expect(refused?.is === 'refused' && refused.sentMs).toBeGreaterThan(0);
  expect(retried).toMatchObject({ is: 'retried', by: 'console', from: 'refused' });
  expect(more).toEqual([]);
});

test('a doubt, the answer of a person and the release appear in the history of the rows concerned', async () => {
  const { rows, calls, stories, told } = await openStory();
  const other = { portfolio: 'q5', key: 'row-2' };
  await rows.put(other, 2, '1', makeRequest());
  await rows.begin(ROW, 'company');
  await calls.claim(company, hold('a/1'));
  await calls.doubt(company, 'a/1', 'the connection broke');
  await calls.doubt(company, 'a/1', 'the connection broke');
  await rows.advance(ROW, 'company', 'held', { problem: { step: 'company', message: 'unknown' } });
  await rows.begin(other, 'company');
  await rows.advance(other, 'company', 'held', { problem: { step: 'company', message: 'unknown' } });
  expect(await stories.heldCount()).toBe(2);
  expect((await stories.held({ count: 1 })).map(({ row }) => row)).toEqual([ROW]);
  const [first] = await stories.held({ count: 1 });
  expect((await stories.held({ after: first, count: 9 })).map(({ row }) => row)).toEqual([other]);
  expect((await stories.held({ portfolio: 'q5', count: 9 })).map(({ row }) => row)).toEqual([other]);

  await calls.resolve([company], 'buyer-of-muster', 'company_9', { by: 'console', row: other });
  await rows.requeue(other, 'held');
  await rows.requeue(ROW, 'held', false);
  expect(await told()).toEqual(['unknown', 'held', 'resolved', 'freed']);
  expect((await stories.entries(other)).map(({ is }) => is)).toEqual(['held', 'resolved']);
  expect(await stories.entries(other)).toContainEqual(
    expect.objectContaining({ is: 'resolved', kind: 'company', by: 'console', made: 'company_9' }),
  );
  expect(await stories.heldCount()).toBe(0);
});

test('the history has changed content, a replacement by another row, and removal by an import', async () => {
  const { rows, stories, told } = await openStory();
  await rows.put(ROW, 3, '2', makeRequest({ name: 'Neu GmbH' }));
  expect(await told()).toEqual(['mended']);
  const [mended] = await stories.entries(ROW);
  expect(mended).toMatchObject({ import: '2', from: 'queued', before: expect.stringContaining('Muster GmbH') });
  await rows.put({ ...ROW, key: 'row-3' }, 4, '3', makeRequest(), '', { key: ROW.key });
  expect(await told()).toEqual(['mended', 'replaced']);
  expect(await stories.entries({ ...ROW, key: 'row-3' })).toEqual([]);
});

// Promise: row-tells-its-story
test.each<[by: string, again: (story: Awaited<ReturnType<typeof openStory>>) => Promise<unknown>, is: string]>([
  ['a person', ({ rows }) => rows.requeue(ROW, 'cancelled', true, { by: 'olga' }), 'retried'],
  ['a file', ({ rows }) => rows.put(ROW, 3, '2', makeRequest()), 'imported again'],
  ['a person who needs approval', (story) => awaitRow(story), 'asked'],
])('the history of a cancelled row keeps who cancelled it once it is requested again by %s', async (_by, again, is) => {
  const story = await openStory();
  const { portfolios, rows, stories, told } = story;
  await portfolios.cancel('q4', 'anna');
  await rows.cancel(ROW);
  expect(await told()).toEqual([]);
  await again(story);
  await portfolios.cancel('q4', 'bert');
  const [givenUp, asked, ...more] = await stories.entries(ROW);
  expect(givenUp).toMatchObject({ is: 'cancelled', by: 'anna' });
  expect(asked).toMatchObject({ is, from: 'cancelled' });
  expect(givenUp?.atMs).toBeLessThanOrEqual(asked?.atMs ?? 0);
  expect(more).toEqual([]);
});

async function awaitRow({ approvals }: Awaited<ReturnType<typeof openStory>>) {
  const id = await approvals.askFor({ portfolio: 'q4', kind: 'retry', by: 'olga' });
  return approvals.awaitRow(ROW, 'cancelled', { id, by: 'olga' });
}

test('the history of a row keeps its last fifty entries', async () => {
  const { rows, stories } = await openStory();
  for (let time = 0; time < 60; time += 1) await rows.put(ROW, 3, String(time), makeRequest({ name: `${time} GmbH` }));
  const entries = await stories.entries(ROW);
  expect(entries).toHaveLength(50);
  expect(entries.at(-1)).toMatchObject({ is: 'mended', import: '59' });
});

// Promise: search-indexes-mended
test('the comparison corrects the list of held rows from the rows', async () => {
  const { connection, keys, rows, portfolios, stories } = await openStory();
  await rows.begin(ROW, 'company');
  await rows.advance(ROW, 'company', 'held', { problem: { step: 'company', message: 'unknown' } });
  expect(await portfolios.compareHeld(['q4'])).toBe(0);
  const [before] = await stories.held({ count: 1 });
  await connection.zrem(keys.held, 'q4/row-1');
  await connection.zadd(keys.held, 1, 'q9/gone');
  expect(await portfolios.compareHeld(['q4'])).toBe(2);
  expect(await stories.held({ count: 9 })).toEqual([before]);
});
