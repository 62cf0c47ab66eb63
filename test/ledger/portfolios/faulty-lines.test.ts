import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { makeImports } from '../../../src/ledger/portfolios/imports.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { openLedger } from '../../support/ledger.ts';
import { BAD, file, lines, other, TWICE } from '../../support/noted-lines.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';

test('faulty lines are counted once, however often each was written down', async () => {
  const { portfolios } = openLedger();
  const run = await portfolios.startImport('q4', file);
  for (let time = 0; time < 2; time += 1) {
    await run.noteLines(lines([2, BAD], [3, TWICE], [4, null]));
  }
  expect(await portfolios.faultyLines('q4', [4, 3, 2])).toEqual([undefined, TWICE, BAD]);
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 1, duplicate: 1 });
  await run.noteLines(lines([2, null], [3, BAD]));
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 1, duplicate: 0 });
});

test('300,000 faulty lines are written and read in pages, and forgotten without keeping Redis busy', async () => {
  const { admin } = await startKillableRedis();
  // How long it takes to write them to the disk as well is not what is tried here.
  await admin.config('SET', 'appendonly', 'no');
  const keys = makeKeys('limitline', 'a');
  const imports = makeImports({ connection: admin, keys });
  const run = await imports.startImport('q4', file);
  const message = 'requested_limit: This is no amount: write one, like 1234.50.';
  const numbers = Array.from({ length: 300_000 }, (_none, n) => n);
  await run.noteLines(new Map(numbers.map((n) => [n, { key: `row-${n}`, fault: { kind: 'invalid', message } }])));
  expect(await admin.hlen(keys.faultyLines('q4', 'invalid'))).toBe(300_000);
  const found = await imports.faultyLines('q4', numbers.slice(-2_000));
  expect(found).toEqual(numbers.slice(-2_000).map((n) => ({ kind: 'invalid', message, key: `row-${n}` })));
  await run.end();
  const before = await busyMs(admin);
  const next = await imports.startImport('q4', other);
  // Deleted in one piece, they take some 100 ms of it.
  expect((await busyMs(admin)) - before).toBeLessThan(30);
  expect(await admin.exists(keys.faultyLines('q4', 'invalid'))).toBe(0);
  await next.end();
});

/** What the thread that answers everybody has worked so far; unlike the clock, a busy machine does not move it. */
async function busyMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = [...info.matchAll(/used_cpu_(?:user|sys)_main_thread:([\d.]+)/g)].map((match) => Number(match[1]));
  return 1_000 * seconds.reduce((sum, one) => sum + one, 0);
}
