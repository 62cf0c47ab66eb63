import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeLuaScript, scriptText } from '../../src/lua-script.ts';
import { lookAtPace } from '../../src/open-service.ts';
import { readCallsHeld } from '../../src/pace/calls-held.ts';
import { differences, dumpRedis } from '../support/archive.ts';
import { openConsole, openDesk } from '../support/desk.ts';
import { scriptsIn } from '../support/lua-scripts.ts';
import { startKillableRedis } from '../support/redis/killable-redis.ts';
import { buyerLines, openWorkplace } from '../support/workplace.ts';

// Promise: sums-change-with-the-row
test('sums and indexes agree with the rows when the memory of Redis was full many times during a run', async () => {
  const redis = await startKillableRedis();
  const place = await openWorkplace({ faults: { latencyMs: 10 }, env: { REDIS_URL: redis.url } });
  await place.import(buyerLines(100));
  await place.work();
  const { portfolios } = place.context;
  for (let change = 0; change < 60; change += 1) {
    await redis.admin.config('SET', 'maxmemory', change % 2 === 0 ? '1' : '0');
    await sleep(7);
  }
  await redis.admin.config('SET', 'maxmemory', '0');
  await place.settled();
  expect(await portfolios.compare(['q4'])).toEqual([]);
  expect((await place.report()).states.done).toBe(100);
});

// Promise: full-memory-still-answers
test('with full memory, pages, reports, health and metrics answer and show the remedy', async () => {
  const redis = await startKillableRedis();
  const desk = await openDesk(12, {}, { REDIS_URL: redis.url, QUEUE_BOARD: 'on' });
  await desk.limitline('run', 'q4.csv');
  const { get } = await openConsole(desk);
  const worker = desk.start('work');
  await expect.poll(() => worker.output().stderr).toContain('working');
  await redis.admin.config('SET', 'maxmemory', '1');
  for (const page of ['/', '/portfolios/q4', '/held', '/approvals', '/nightly', '/health', '/new', '/audit']) {
    const { status, text } = await get(page);
    expect(status, page).toBe(200);
    expect(text, page).toContain('Redis is nearly full (');
  }
  expect((await get('/queues')).status).toBe(200);
  const figures = (await get('/metrics')).text;
  expect(figures).toMatch(/^limitline_redis_up\{.*\} 1$/m);
  // An alert on memory can use these metrics while Redis is up.
  const figureOf = (name: string) => Number(new RegExp(`^${name}\\{.*\\} (\\d+)`, 'm').exec(figures)?.[1]);
  expect(figureOf('limitline_redis_memory_max_bytes')).toBe(1);
  expect(figureOf('limitline_redis_memory_used_bytes')).toBeGreaterThan(1);
  expect((await get('/health')).text).toMatch(/Memory: \d\S* MB of 1 B.*work, process \d+ on .*0 rows in hand/s);
  expect(await desk.json('report', 'q4')).toMatchObject({ states: { done: 12 } });
  expect(await desk.limitline('report', 'q4', '--format', 'csv')).toMatchObject({ status: 0 });
  expect(await desk.limitline('portfolios')).toMatchObject({ status: 0 });
  const { status, stderr } = await desk.limitline('import', 'q4.csv', '--portfolio', 'q5', '--yes');
  expect(status).toBe(1);
  expect(stderr).toMatch(/^limitline: Redis is nearly full, so .* Raise the maxmemory of Redis, or archive/m);
  expect(await desk.limitline('archive', 'q4')).toMatchObject({ status: 0 });
  expect(await desk.limitline('forget', 'q4', '--yes', 'q4')).toMatchObject({ status: 0 });
});

// Promise: full-memory-still-answers
test('with full memory, a held row can be resolved and work starts with a warning; work continues when there is room', async () => {
  const redis = await startKillableRedis();
  const rule = { on: 'limit', match: 'HRB 2', fault: 'reset', made: false, times: 1 } as const;
  const desk = await openDesk(3, { rules: [rule] }, { REDIS_URL: redis.url });
  await desk.limitline('run', 'q4.csv');
  await redis.admin.config('SET', 'maxmemory', '1');
  const resolved = await desk.limitline('resolve', 'q4', '--line', '3', '--resend');
  expect(resolved).toMatchObject({ status: 0, stdout: expect.stringContaining('1 call resolved; 1 row goes on') });
  expect(resolved.stderr).toMatch(/^limitline: Redis is nearly full \(/m);
  expect(await desk.json('report', 'q4')).toMatchObject({ states: { done: 2, queued: 1 } });
  // This first start also writes the approval rule of the account.
  const worker = desk.start('work');
  await expect.poll(() => worker.output().stderr).toMatch(/Redis is nearly full \(.*working/s);
  await redis.admin.config('SET', 'maxmemory', '0');
  await expect.poll(() => desk.json('report', 'q4')).toMatchObject({ states: { done: 3 } });
});

// Promise: full-memory-starts-nothing
test('above 95 percent of memory, no new call or import begins, calls in flight finish, and all continues with more room', async () => {
  const redis = await startKillableRedis();
  const place = await openWorkplace({ faults: { latencyMs: 20 }, env: { REDIS_URL: redis.url } });
  const { context, standIn } = place;
  await place.import(buyerLines(100));
  await place.work();
  const made = () => standIn.counts().made.limit;
  await expect.poll(made).toBeGreaterThan(10);
  // Large enough that the short-lived memory of connections is below one percent.
  await redis.admin.setrange('filler', 40_000_000, 'x');
  const used = Number(/used_memory:(\d+)/.exec(await redis.admin.info('memory'))?.[1]);
  await redis.admin.config('SET', 'maxmemory', String(Math.ceil(used / 0.96)));
  await expect.poll(() => readCallsHeld(context.ledger, context.keys)).toMatchObject({ blocked: { by: 'memory' } });
  await expect
    .poll(() => lookAtPace(context))
    .toMatchObject({ blocked: { why: expect.stringMatching(/^Redis is nearly full \(\S+ of \S+ MB\)/) } });
  const { states } = await place.report();
  expect(states.done).toBeLessThan(100);
  expect(states.refused + states.held).toBe(0);
  const importing = place.import(buyerLines(30), { portfolio: 'q5' });
  await redis.admin.config('SET', 'maxmemory', '0');
  expect((await place.settled()).states.done).toBe(100);
  expect(await importing).toMatchObject({ rows: 30 });
});

test('with full memory, calls in flight are settled and counted, and scripts that add something change nothing', async () => {
  const redis = await startKillableRedis();
  const place = await openWorkplace({ env: { REDIS_URL: redis.url } });
  const { context } = place;
  const { rows, calls, portfolios, keys } = context;
  await place.import(buyerLines(3));
  const [first, second] = (await rows.inState('q4', 'queued', { count: 3 })).map(({ row }) => row);
  if (!first || !second) throw new Error('no rows');
  const buyers = (await rows.read([first, second])).map((row) => row?.request.buyer ?? '');
  await rows.begin(first, 'company');
  const company = { kind: 'company', key: buyers[0] ?? '', row: first, revision: '0' } as const;
  await calls.claim(company, { owner: 'w/1', onUnknown: 'hold' });

  await redis.admin.config('SET', 'maxmemory', '1');
  await calls.settle(company, 'w/1', { id: 'company_1', record: {}, buyer: buyers[0] ?? '' });
  await rows.advance(first, 'company', 'limit', { company: 'company_1' });
  expect(await portfolios.compare(['q4'])).toEqual([]);
  expect((await place.report()).states).toMatchObject({ queued: 2, limit: 1 });
  // Each script that adds something is refused before it begins, not at one of its commands.
  const before = await dumpRedis(redis.admin, '');
  const bringsIn = scriptsIn('src/ledger/lua').filter(({ text }) => text.includes('@brings-in'));
  expect(bringsIn.length).toBeGreaterThan(5);
  for (const { name, url } of bringsIn) {
    await expect(makeLuaScript(context.ledger, url)([keys.portfolio('q4')], []), name).rejects.toThrow('OOM');
  }
  expect(differences(before, await dumpRedis(redis.admin, ''))).toEqual({});
});

test('each script declares whether it may run with full memory, so that it runs as a whole or not at all', () => {
  const found = scriptsIn('src');
  expect(found.length).toBeGreaterThan(100);
  const firstLine = (url: URL) => scriptText(url).split('\n', 1)[0] ?? '';
  expect(found.filter(({ url }) => !/^#!lua( flags=(no-writes|allow-oom))?$/.test(firstLine(url)))).toEqual([]);
});
