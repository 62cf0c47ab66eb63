import { expect, test, vi } from 'vitest';
import { makeHeldPlans } from '../../../jobs/operators/held-plans.ts';
import { callInDoubt } from '../../../jobs/rows/walk-rows.ts';
import { countQuestions, heldLetter, makeHeldDesk } from '../../../jobs/story/held-desk.ts';
import { type RowId, rowName } from '../../../src/ledger/schema/schema.ts';
import { openPlanned } from '../../support/approved-portfolio.ts';
import { openConsole, unmarked } from '../../support/desk.ts';
import { openLedger } from '../../support/ledger.ts';
import { openWorkplace } from '../../support/workplace.ts';

const HEADER = 'name,country_code,company_registration_number,requested_limit,currency';

// Promise: held-list-with-sums
test('held rows of two portfolios are summed by currency, and answered in one plan', async () => {
  const { context, import: importLines, hold } = await openPlanned(1);
  await importLines([HEADER, 'Uno SpA,IT,1,100.50,EUR', 'Due SpA,IT,2,200,EUR'], { portfolio: 'south' });
  await importLines([HEADER, 'One Ltd,GB,3,5,GBP'], { portfolio: 'north' });
  for (const portfolio of ['q4', 'south', 'north']) {
    for (const { row } of await context.rows.inState(portfolio, 'queued', { count: 9 })) await hold(row);
  }
  const desk = makeHeldDesk(context);
  expect(await desk.summary(undefined)).toMatchObject({
    total: 4,
    sums: [
      { currency: undefined, amount: '1001.50' },
      { currency: 'EUR', amount: '300.50' },
      { currency: 'GBP', amount: '5.00' },
    ],
  });
  expect(await desk.summary('north')).toMatchObject({ total: 1, sums: [{ currency: 'GBP', amount: '5.00' }] });
  expect(await desk.summary('nowhere')).toBeUndefined();
  const items = (await desk.page(undefined, {}))?.items ?? [];
  expect(items.map(({ name, currency }) => [name, currency])).toContainEqual(['One Ltd', 'GBP']);
  expect(heldLetter(items, 0, context)).toContain('Our reference: north/');
  expect(heldLetter(items, 0, context)).not.toContain('another letter');
  expect(heldLetter(items, 1, context)).toContain('We will ask you about 1 more request in another letter.');

  const plans = makeHeldPlans(context);
  const answers = (await desk.rows(undefined)).map((held, place) => ({
    ...held,
    made: place === 1 ? 'company_1' : undefined,
  }));
  const plan = await plans.planAnswers(answers, { back: 'account', by: 'test' });
  expect(plan).toMatchObject({ problems: [], elsewhere: [], late: 0 });
  // A plan for the account cannot be confirmed for one portfolio.
  expect(await plans.confirm(plan.id, 'q4', 'test')).toEqual({ is: 'unknown' });
  expect(await plans.confirm(plan.id, undefined, 'test')).toMatchObject({ is: 'done', resolution: { calls: 4 } });
  expect(await desk.summary(undefined)).toMatchObject({ total: 0, sums: [] });
});

// Promise: held-list-with-sums
test('a held request of several portfolios is one question with one sum, on every page', async () => {
  const { context, import: importLines, hold, dir, env } = await openPlanned(1);
  for (const portfolio of ['south', 'tyrol', 'west'])
    await importLines([HEADER, 'Uno SpA,IT,1,100.50,EUR'], { portfolio });
  const desk = makeHeldDesk(context);
  for (const portfolio of ['q4', 'south', 'tyrol', 'west']) {
    for (const { row } of await context.rows.inState(portfolio, 'queued', { count: 9 })) await hold(row);
  }
  const all = await desk.page(undefined, {});
  expect(all).toMatchObject({ total: 2, sums: [{ amount: '1001.50' }, { currency: 'EUR', amount: '100.50' }] });
  expect(all?.items.map(({ row }) => row.portfolio)).toEqual(['q4', 'south']);
  expect(await desk.behind(undefined, all?.items.at(-1))).toEqual([]);
  expect(await desk.rows(undefined)).toHaveLength(2);
  expect(await desk.page('west', {})).toMatchObject({ total: 1, items: [{ name: 'Uno SpA' }] });

  const { get } = await openConsole({ cwd: dir, env });
  const { text } = await get('/');
  expect(text).toContain('2 requests need an answer');
  const [, task = ''] = /2 requests need an answer(.*?)<\/tr>/s.exec(text) ?? [];
  expect([...task.matchAll(/<data[^>]* value="([^"]+)"/g)].map(([, sum]) => sum)).toEqual(['1001.50', '100.50']);
  expect(await countQuestions(context)).toBe(2);
});

// Promises: letter-of-1000, held-list-with-sums
test('1,100 held rows are answered at once, and the letter asks about 1,000', async () => {
  const { context, all, hold, dir, env } = await openPlanned(1_100);
  for (let from = 0; from < all.length; from += 100) await Promise.all(all.slice(from, from + 100).map(hold));
  const { post } = await openConsole({ cwd: dir, env });
  const [first] = await context.stories.held({ count: 1 });
  const { status, text } = await post('/held/plan', { back: 'account', all: 'yes', resend: 'yes' });
  expect(status).toBe(200);
  expect(unmarked(text)).toContain('asked for again</dt><dd class="stat-value">1,100<');
  expect(text.includes('And 900 more.')).toBe(true);
  const letter = await post('/held/plan', { letter: 'yes' });
  expect(letter.text).toContain('We sent you 1000 requests');
  expect(letter.text).toContain('We will ask you about 100 more requests in another letter.');
  const each = Object.fromEntries(
    (await context.stories.held({ count: 1_100 })).map((held) => [`pick-${held.atMs}:q4/${held.row.key}`, 'yes']),
  );
  const picked = await post('/held/plan', { back: 'account', resend: 'yes', ...each });
  const [, plan = ''] = /name="plan" value="([^"]+)"/.exec(picked.text) ?? [];
  expect((await post('/held/confirm', { plan })).headers.get('location')).toBe('/held?did=answered-1100');
  expect(await context.stories.heldCount()).toBe(0);
  const [row] = await context.rows.read([first?.row ?? ({} as RowId)]);
  expect(row?.state).not.toBe('held');
});

test('the sum of a held row shows its currency as soon as its file is read completely', async () => {
  const { context, import: importLines, hold } = await openPlanned(1);
  await importLines([HEADER, 'Uno SpA,IT,1,100.50,EUR'], { portfolio: 'south' });
  for (const { row } of await context.rows.inState('south', 'queued', { count: 9 })) await hold(row);
  // While a file is being read, its import has no currency.
  const { ledger, keys } = context;
  const imports = await ledger.hgetall(keys.allImports('south'));
  for (const [id, text] of Object.entries(imports))
    await ledger.hset(keys.allImports('south'), id, JSON.stringify({ ...JSON.parse(text), found: undefined }));
  const desk = makeHeldDesk(context);
  expect(await desk.summary('south')).toMatchObject({ sums: [{ currency: undefined, amount: '100.50' }] });
  await ledger.hset(keys.allImports('south'), imports);
  expect(await desk.summary('south')).toMatchObject({ sums: [{ currency: 'EUR', amount: '100.50' }] });
});

test('the time of the oldest question is updated if the only held row is held again', async () => {
  const { context, all, hold } = await openPlanned(1);
  const [row] = all as [RowId];
  await hold(row);
  const desk = makeHeldDesk(context);
  const { oldestMs = 0 } = await desk.ofAccount();
  await context.ledger.zincrby(context.keys.held, 5_000, rowName(row));
  expect(await desk.ofAccount()).toMatchObject({ total: 1, oldestMs: oldestMs + 5_000 });
});

test('a row that was held only for a moment during a count does not stay in the list', async () => {
  const { connection, keys, stories, rows, calls, portfolios } = openLedger();
  await connection.zadd(keys.held, 1_000, 'q4/AAAAAAAAAAAAAAAA');
  let between = async () => void (await connection.zadd(keys.held, 2_000, 'q4/BBBBBBBBBBBBBBBB'));
  const heldDigest = async () => {
    const found = await stories.heldDigest();
    await between();
    return found;
  };
  const desk = makeHeldDesk({ stories: { ...stories, heldDigest }, rows, calls, portfolios });
  await desk.ofAccount();
  between = async () => {};
  // Its answer arrived.
  await connection.zrem(keys.held, 'q4/BBBBBBBBBBBBBBBB');
  expect(await desk.ofAccount()).toMatchObject({ total: 1, summed: 1 });
});

test("two held calls of one request are two questions in the account's list", async () => {
  const { context, import: importLines } = await openWorkplace();
  const { rows, calls, ledger, keys, stories } = context;
  const header = 'name,country_code,company_registration_number,requested_limit,request_reference';
  await importLines([header, 'Uno SpA,IT,1,100,R1'], { portfolio: 'south' });
  // This file names the company id, so its row needs no company call.
  await importLines([`${header},company_id`, 'Uno SpA,IT,1,100,R1,company_known'], { portfolio: 'north' });
  const [south] = await rows.inState('south', 'queued', { count: 1 });
  const [north] = await rows.inState('north', 'queued', { count: 1 });
  if (!south || !north) throw new Error('no rows');
  expect(north.row.key).toBe(south.row.key);
  const [known] = await rows.read([south.row]);
  const buyer = known?.request.buyer ?? '';
  await rows.begin(south.row, 'company');
  await ledger.hset(keys.call('company', buyer), { state: 'unknown', row: `south/${south.row.key}` });
  await rows.advance(south.row, 'company', 'held', { problem: { step: 'company', message: 'nobody knows' } });
  await rows.begin(north.row, 'limit');
  await ledger.hset(keys.call('limit', north.row.key), { state: 'unknown', row: `north/${north.row.key}` });
  await rows.advance(north.row, 'limit', 'held', { problem: { step: 'limit', message: 'nobody knows' } });
  const held = await stories.held({ count: 9 });
  const results = await rows.read(held.map(({ row }) => row));
  const asked = await Promise.all(
    held.map(async ({ row }, at) => callInDoubt({ row, result: results[at] } as never, { calls })),
  );
  expect(asked.map((call) => call?.kind).sort()).toEqual(['company', 'limit']);
  const desk = makeHeldDesk(context);
  expect((await desk.rows(undefined)).map(({ row }) => row.portfolio).sort()).toEqual(['north', 'south']);
  expect(await countQuestions(context)).toBe(2);
  // Each page shows the number. Rows are compared again only after the held rows changed.
  const read = vi.spyOn(context.rows, 'read');
  expect(await countQuestions(context)).toBe(2);
  expect(read).not.toHaveBeenCalled();
  await rows.advance(north.row, 'held', 'queued', {});
  expect(await countQuestions(context)).toBe(1);
});
