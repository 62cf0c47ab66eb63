import { readFile } from 'node:fs/promises';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { type Context, openContext } from '../../../src/context.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { makeLuaScript } from '../../../src/lua-script.ts';
import { retryRows } from '../../support/approved-portfolio.ts';
import { openFaultPlace } from '../../support/fault-place.ts';
import { connectRedis, freshPrefix } from '../../support/ledger.ts';
import { redisUrl } from '../../support/redis/own-database.ts';
import { openWorkplace } from '../../support/workplace.ts';

type Kept = { hash?: Record<string, string>; zset?: string[]; set?: string[]; list?: string[]; string?: string };

/**
 * Writes a ledger as a version with format 4 left it, under the test's own prefix. Account `live` has these portfolios: `q4` (done with a
 * document, held at a limit that was made, refused, done, an invalid line), `q5` (waits for approval), `q6` (declined by bob, with its
 * supplier) and `q7` (queued, 700).
 */
async function putFormerLedger(connection: Redis, prefix: string): Promise<void> {
  const text = await readFile(new URL('../formats/format-4.json', import.meta.url), 'utf8');
  const kept = JSON.parse(text.replaceAll('{former', `{${prefix}`)) as Record<string, Kept>;
  for (const [key, { hash, zset, set, list, string }] of Object.entries(kept)) {
    if (hash) await connection.hset(key, hash);
    if (zset) await connection.zadd(key, ...zset.map((_, at) => zset[at % 2 === 0 ? at + 1 : at - 1] ?? ''));
    if (set) await connection.sadd(key, ...set);
    if (list) await connection.rpush(key, ...list);
    if (string !== undefined) await connection.set(key, string);
  }
}

/** A workplace whose Redis holds what a version with format 4 left there. */
async function openFormer() {
  const [prefix, connection] = [freshPrefix(), connectRedis()];
  await putFormerLedger(connection, prefix);
  const open = () =>
    openWorkplace({ env: { LIMITLINE_PREFIX: prefix, SERVICE_ACCOUNT: 'live', APPROVE_ABOVE: '10000' } });
  return { prefix, connection, keys: makeKeys(prefix, 'live'), open };
}

/** The indexes agree with the rows, except the ids for search: these are bytes, which the text file of {@link putFormerLedger} cannot hold. */
async function expectAgreement({ portfolios }: Context): Promise<void> {
  const found = await portfolios.compare(['q4', 'q5', 'q6', 'q7']);
  expect(found.filter(({ is }) => is !== 'search' && is !== 'entry')).toEqual([]);
  expect(await portfolios.compare(['q4', 'q5', 'q6', 'q7'])).toEqual([]);
}

const namesOf = (connection: ReturnType<typeof connectRedis>, pattern: string) => connection.keys(pattern);

// Promise: older-ledger-carried-over
test('a ledger of format 4 is moved to the present key names with its rows, states and failed jobs', async () => {
  const { connection, keys, open } = await openFormer();
  const place = await open();
  const { context } = place;
  expect(await place.report('q4')).toMatchObject({ states: { done: 2, held: 1, refused: 1 }, invalid: 1 });
  expect(await place.report('q5')).toMatchObject({ states: { awaiting: 1 } });
  expect(await place.report('q6')).toMatchObject({ states: { cancelled: 1 } });
  expect(await context.queues.bullmq['buyer-limits'].getFailed()).toHaveLength(2);
  await expectAgreement(context);
  const left = (await namesOf(connection, `${keys.former}:*`)).filter((name) => !name.startsWith(`${keys.root}:`));
  const portfolios = ['q4', 'q5', 'q6', 'q7'].map((name) => `${keys.former}:portfolio:${name}`);
  expect(left.sort()).toEqual([keys.format, ...portfolios, keys.formerPortfolios]);
});

// Promise: older-ledger-carried-over
test('after the move nothing asked for, made or declined is asked for again, and the other rows are sent', async () => {
  const { open } = await openFormer();
  const place = await open();
  const { context } = place;
  // The held limit was made, under an id that no other row may be given.
  const [done] = await context.rows.inState('q4', 'done', { count: 1 });
  const [known] = await context.rows.read(done ? [done.row] : []);
  const resolve = resolveCalls({ portfolio: 'q4', line: 3, made: known?.limitId }, context);
  await expect(resolve).rejects.toThrow('is already known');
  // A request that bob declined waits for approval, whoever imports it and in any portfolio.
  const declined = ['name,country_code,company_registration_number,requested_limit', 'Declined AG,DE,HRB 60,30000'];
  expect((await place.import(declined, { portfolio: 'q8', by: 'alice' })).approval).toMatchObject({ rows: 1 });
  expect(await retryRows({ portfolio: 'q6', state: 'cancelled', by: 'carol' }, context)).toMatchObject({
    waits: { rows: 1 },
  });
  await place.work();
  expect((await place.settled('q7')).states).toMatchObject({ done: 1 });
  expect(place.standIn.counts().made.limit).toBe(1);
});

// Promise: carrying-over-goes-on
test('two processes that find a half-moved ledger move the rest of it once', async () => {
  const { connection, keys, prefix, open } = await openFormer();
  // Killed after the first keys, in the order in which Redis scans them.
  await connection.multi().set(`{${prefix}}:format`, '5').sadd(`{${prefix}}:to-move`, 'live').exec();
  const move = makeLuaScript(connection, new URL('../../../src/ledger/lua/move-former.lua', import.meta.url));
  const [cursor] = (await move([keys.root, keys.former], ['0', 40, `${keys.former}:*`, 'moved'])) as [string, number];
  expect(cursor).not.toBe('0');
  const places = await Promise.all([open(), open()]);
  for (const place of places) {
    expect(await place.report('q4')).toMatchObject({ states: { done: 2, held: 1, refused: 1 } });
    await expectAgreement(place.context);
  }
  expect(await connection.type(keys.formerPortfolios)).toBe('string');
  expect(await connection.exists(`{${prefix}}:to-move`)).toBe(0);
});

// Promise: earlier-version-stopped-first
test('a ledger is not moved while a process of an earlier version is running', async () => {
  const { connection, keys, open, prefix } = await openFormer();
  await connection.zadd(`${keys.former}:workers`, Date.now(), 'old');
  await expect(open()).rejects.toThrow(/An earlier version of Limitline is at work in account live: stop it first/);
  await connection.del(`${keys.former}:workers`);
  await connection.zadd(`${keys.former}:portfolio:q4:imports`, Date.now(), 'content:run');
  await expect(open()).rejects.toThrow(/An earlier version/);
  expect(await connection.get(`{${prefix}}:format`)).toBe('4');
});

// Promise: earlier-version-sends-nothing
test('a process of an earlier version that still runs after the move finds nothing to send and cannot write', async () => {
  const { connection, keys, open } = await openFormer();
  await open();
  await expect(connection.zadd(`${keys.former}:portfolios`, 1, 'q9')).rejects.toThrow('WRONGTYPE');
  // One that slept with rows in hand reads their portfolio before it sends their calls.
  await expect(connection.hmget(`${keys.former}:portfolio:q7`, 'cancels', 'paused')).rejects.toThrow('WRONGTYPE');
  expect(await connection.exists(`${keys.former}:account`)).toBe(0);
  expect(await connection.keys(`${keys.formerQueuePrefix('companies')}:companies*`)).toEqual([]);
  // The same holds in a new account for which such a process is running already.
  const prefix = freshPrefix();
  const context = await openContext({
    settings: (await openWorkplace({ env: { LIMITLINE_PREFIX: prefix } })).context.settings,
    log: makeSilentLog(),
  });
  await context.enterAccount();
  await expect(connection.zadd(context.keys.formerPortfolios, 1, 'q9')).rejects.toThrow('WRONGTYPE');
  await context.close();
});

// Promise: process-ends-on-other-format
test.each(['6', undefined])(
  'a process ends and sends nothing when the format in Redis changes meanwhile (%s)',
  async (format) => {
    const place = await openFaultPlace({ env: { REDIS_URL: redisUrl() } });
    const { context } = place;
    const { ledger, keys } = context;
    const worker = place.startWorker();
    await expect.poll(() => worker.output().stderr).toContain('working');
    if (format !== undefined) await ledger.set(keys.format, format);
    else {
      // As after the copy from before the upgrade is put back.
      await ledger.del(keys.format, keys.formerPortfolios);
      await ledger.zadd(keys.formerPortfolios, 1, 'q4');
    }
    const { status, stderr } = await worker.ended;
    expect(status).toBe(1);
    expect(stderr).toMatch(/What is in Redis is in format (6|before 5) by now, and this Limitline writes format 5/);
  },
);
