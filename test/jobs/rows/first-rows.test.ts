import { expect, test } from 'vitest';
import { feed } from '../../../jobs/rows/feed.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

/** Waits until the portfolio has paused itself, and returns the reason. */
async function paused({ context }: Place): Promise<string | undefined> {
  await expect.poll(async () => (await context.portfolios.read('q4')).paused).toBeDefined();
  return (await context.portfolios.read('q4')).paused;
}

/** The numbers of the buyers whose limits were requested, in order. */
function numbers({ standIn }: Place): number[] {
  const asked = standIn.things('limit').map(({ body }) => /HRB (\d+)/.exec(JSON.stringify(body))?.[1]);
  return asked.map(Number).sort((a, b) => a - b);
}

// Promise: first-rows-only
test('exactly the first rows are sent by several workers, and the rest after a resume', async () => {
  const place = await openWorkplace();
  const { context, work, settled } = place;
  await Promise.all([work(), work()]);
  await place.import(buyerLines(40), { first: 5 });
  expect(await paused(place)).toBe('5 rows were sent first; resume to send the rest');
  expect(numbers(place)).toEqual([1, 2, 3, 4, 5]);
  expect(place.standIn.counts().made).toMatchObject({ company: 5, limit: 5 });
  expect((await context.portfolios.read('q4')).states).toMatchObject({ done: 5, queued: 35 });
  await context.portfolios.resume('q4');
  expect((await settled()).states.done).toBe(40);
  expect(place.standIn.counts().made).toMatchObject({ company: 40, limit: 40 });
});

test('the first rows stay the same when the file is imported again, and a larger number adds the next ones', async () => {
  const place = await openWorkplace();
  await place.import(buyerLines(20), { first: 3 });
  await place.import(buyerLines(20), { first: 3 });
  await place.work();
  await paused(place);
  await place.import(buyerLines(20), { first: 3 });
  expect(numbers(place)).toEqual([1, 2, 3]);
  await place.import(buyerLines(20), { first: 5 });
  expect(await paused(place)).toBe('5 rows were sent first; resume to send the rest');
  expect(numbers(place)).toEqual([1, 2, 3, 4, 5]);
});

// Promise: first-rows-only
test('a row that a corrected line replaces before it is sent does not count as one of the first rows', async () => {
  const place = await openWorkplace();
  const [header = '', one = '', ...others] = buyerLines(6);
  await place.import([header, one, ...others], { first: 2 });
  await feed(place.context);
  await place.import([header, one.replace('1001.50', '900'), ...others]);
  await place.work();
  expect(await paused(place)).toBe('2 rows were sent first; resume to send the rest');
  expect(numbers(place)).toEqual([1, 2]);
});

test('a portfolio with fewer rows than its first rows ends normally, and does not hold back a later file', async () => {
  const place = await openWorkplace();
  await place.work();
  await place.import(buyerLines(2), { first: 3 });
  expect(await place.settled()).toMatchObject({ states: { done: 2 } });
  await place.import(buyerLines(8));
  expect(await place.settled()).toMatchObject({ states: { done: 8 } });
  expect((await place.context.portfolios.read('q4')).paused).toBeUndefined();
});

test('a row that is not one of the first stays queued, even if it has a job', async () => {
  const { context, import: importLines } = await openWorkplace();
  await importLines(buyerLines(4));
  const rows = (await context.rows.inState('q4', 'queued', { count: 4 })).map(({ row }) => row);
  await context.portfolios.sendFirst('q4', 2);
  await Promise.all([feed(context), feed(context), feed(context)]);
  const states = await Promise.all(rows.map(async (row) => (await context.rows.begin(row, 'company'))?.state));
  expect(states).toEqual(['company', 'company', 'queued', 'queued']);
  // A retried row that was one of the first is still one of them.
  const [first] = rows as [never, ...never[]];
  await context.rows.advance(first, 'company', 'refused', { problem: { step: 'company', message: 'no' } });
  await context.rows.requeue(first, 'refused');
  expect((await context.rows.begin(first, 'company'))?.state).toBe('company');
});

// Promise: first-rows-only
test('rows already in progress wait again after first rows are requested, unless they are among them', async () => {
  const place = await openWorkplace();
  const { context } = place;
  await place.import(buyerLines(12));
  const rows = (await context.rows.inState('q4', 'queued', { count: 12 })).map(({ row }) => row);
  // A stopped run leaves rows like this. Their calls were not sent.
  for (const row of rows.slice(1, 9)) await context.rows.begin(row, 'company');
  await place.import(buyerLines(12), { first: 3 });
  await place.work();
  expect(await paused(place)).toBe('3 rows were sent first; resume to send the rest');
  expect(numbers(place)).toEqual([1, 2, 3]);
  expect(place.standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
  await context.portfolios.resume('q4');
  expect((await place.settled()).states.done).toBe(12);
});

test('a held row counts as finished among the first rows', async () => {
  const place = await openWorkplace({
    faults: { rules: [{ on: 'limit', match: 'HRB 1"', fault: 'reset', made: true }] },
  });
  await place.work();
  await place.import(buyerLines(3), { first: 1 });
  expect(await paused(place)).toBe('1 row was sent first; resume to send the rest');
  expect((await place.context.portfolios.read('q4')).states).toMatchObject({ held: 1, queued: 2 });
});

test('a portfolio paused before its first rows ended resumes with those only', async () => {
  const place = await openWorkplace();
  const { context } = place;
  await place.import(buyerLines(8), { first: 4 });
  await context.portfolios.pause('q4', 'the first 2 answers were all refused');
  expect(await context.portfolios.resume('q4')).toBe(4);
  // A second click, or a command whose reply was lost, does not release the rest.
  expect(await context.portfolios.resume('q4')).toBe(4);
  await place.work();
  expect(await paused(place)).toBe('4 rows were sent first; resume to send the rest');
  expect(numbers(place)).toEqual([1, 2, 3, 4]);
  expect(await context.portfolios.resume('q4')).toBeUndefined();
  expect((await place.settled()).states.done).toBe(8);
});

test('listing first rows returns only the page that is asked for', async () => {
  const { context, import: importLines } = await openWorkplace();
  await importLines(buyerLines(30));
  const { portfolios, rows } = context;
  await portfolios.sendFirst('q4', 20);
  const waiting = (await rows.inState('q4', 'queued', { count: 30 })).map(({ row }) => row);
  const listed = async (from: number, count: number) =>
    (await portfolios.chooseFirst('q4', 20, { from, count })).map(({ row }) => row);
  expect(await listed(0, 5)).toEqual(waiting.slice(0, 5));
  expect(await listed(15, 10)).toEqual(waiting.slice(15, 20));
  expect(await listed(0, 0)).toEqual([]);
});

test('more first rows end only the pause behind first rows, as a new file does', async () => {
  const place = await openWorkplace();
  const { context } = place;
  const { portfolios, rows } = context;
  const pausedNow = async () => (await portfolios.read('q4')).paused;
  await place.import(buyerLines(4), { first: 1 });
  const [first] = await rows.inState('q4', 'queued', { count: 1 });
  await rows.begin(first?.row as never, 'company');
  await rows.advance(first?.row as never, 'company', 'refused', { problem: { step: 'company', message: 'no' } });
  await feed(context);
  expect(await pausedNow()).toBe('1 row was sent first; resume to send the rest');
  await portfolios.pause('q4', 'by request');
  await place.import(buyerLines(4), { first: 2 });
  expect(await pausedNow()).toBe('by request');
  // Ending the pause behind first rows does not end a later pause with another reason.
  expect(await portfolios.resumeAsPaused('q4', '1 row was sent first; resume to send the rest')).toBe(false);
  expect(await portfolios.resumeAsPaused('q4')).toBe(false);
  expect(await pausedNow()).toBe('by request');
  expect(await portfolios.resumeAsPaused('q4', 'by request')).toBe(true);
  expect(await portfolios.resumeAsPaused('q4')).toBe(true);
  await portfolios.sendFirst('q4', 1);
  await feed(context);
  // All rows are cancelled, so no row waits behind first rows any more.
  await portfolios.cancel('q4');
  for (const state of ['queued', 'refused'] as const)
    for (const { row } of await rows.inState('q4', state, { count: 4 })) await rows.cancel(row);
  expect((await portfolios.read('q4')).finishedMs).toBeDefined();
  await place.import(buyerLines(6));
  expect(await pausedNow()).toBeUndefined();
});
