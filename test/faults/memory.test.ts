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
test('what is kept beside the rows is as they are, however often the memory of Redis is full meanwhile', async () => {
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
test('while the memory of Redis is full, pages, reports, health and metrics answer and say what to do', async () => {
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
  // By these an alert of its own speaks of memory, while Redis is up.
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
test('while the memory of Redis is full, an answer for a held row takes effect, work starts and says so, and all goes on when there is room', async () => {
  const redis = await startKillableRedis();
  const rule = { on: 'limit', match: 'HRB 2', fault: 'reset', made: false, times: 1 } as const;
  const desk = await openDesk(3, { rules: [rule] }, { REDIS_URL: redis.url });
  await desk.limitline('run', 'q4.csv');
  await redis.admin.config('SET', 'maxmemory', '1');
  const resolved = await desk.limitline('resolve', 'q4', '--line', '3', '--resend');
  expect(resolved).toMatchObject({ status: 0, stdout: expect.stringContaining('1 call resolved; 1 row goes on') });
  expect(resolved.stderr).toMatch(/^limitline: Redis is nearly full \(/m);
  expect(await desk.json('report', 'q4')).toMatchObject({ states: { done: 2, queued: 1 } });
  // The first start, which also writes the account's rule of approval.
  const worker = desk.start('work');
  await expect.poll(() => worker.output().stderr).toMatch(/Redis is nearly full \(.*working/s);
  await redis.admin.config('SET', 'maxmemory', '0');
  await expect.poll(() => desk.json('report', 'q4')).toMatchObject({ states: { done: 3 } });
});

// Promise: full-memory-starts-nothing
test('with 95 percent of its memory in use nothing new is sent or imported, what is under way is finished, and it goes on by itself', async () => {
  const redis = await startKillableRedis();
  const place = await openWorkplace({ faults: { latencyMs: 20 }, env: { REDIS_URL: redis.url } });
  const { context, standIn } = place;
  await place.import(buyerLines(100));
  await place.work();
  const made = () => standIn.counts().made.limit;
  await expect.poll(made).toBeGreaterThan(10);
  // So much that what connections take for a moment is no hundredth of it.
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

test('while the memory of Redis is full, what is under way is settled and counted, and what is new changes nothing at all', async () => {
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
  // Each script that brings something in is refused before it begins, and not at one of its commands.
  const before = await dumpRedis(redis.admin, '');
  const bringsIn = scriptsIn('src/ledger/lua').filter(({ text }) => text.includes('@brings-in'));
  expect(bringsIn.length).toBeGreaterThan(5);
  for (const { name, url } of bringsIn) {
    await expect(makeLuaScript(context.ledger, url)([keys.portfolio('q4')], []), name).rejects.toThrow('OOM');
  }
  expect(differences(before, await dumpRedis(redis.admin, ''))).toEqual({});
});

test('each script is let through a full memory as a whole or not at all', () => {
  const found = scriptsIn('src');
  expect(found.length).toBeGreaterThan(100);
  const firstLine = (url: URL) => scriptText(url).split('\n', 1)[0] ?? '';
  expect(found.filter(({ url }) => !/^#!lua( flags=(no-writes|allow-oom))?$/.test(firstLine(url)))).toEqual([]);
});
