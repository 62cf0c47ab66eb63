import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { makeImports } from '../../../src/ledger/portfolios/imports.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { makeRequest, openLedger } from '../../support/ledger.ts';
import { BAD, file, lines, other, TWICE } from '../../support/noted-lines.ts';
import { startKillableRedis } from '../../support/redis/killable-redis.ts';

test('a faulty line is counted once, however often it is noted', async () => {
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

// Promise: left-out-lines-counted-once
test('the amounts of lines left out are summed exactly and once, and anew for each import', async () => {
  const { portfolios } = openLedger();
  const run = await portfolios.startImport('q4', file);
  const leftOut = async () => (await portfolios.read('q4')).leftOut;
  expect(await leftOut()).toEqual({ amount: '0.00', bare: 0 });
  const all = lines([2, BAD, 'a', '0.1'], [3, TWICE, 'b', '99999999999999.2'], [4, BAD], [5, BAD, '', '1e'], [6, null]);
  for (let time = 0; time < 3; time += 1) await run.noteLines(all);
  expect(await leftOut()).toEqual({ amount: '99999999999999.30', bare: 2 });
  await run.noteLines(lines([2, null, 'a', '0.1'], [3, BAD, 'b', '99999999999999.2'], [4, TWICE, '', '0.7']));
  expect(await leftOut()).toEqual({ amount: '99999999999999.90', bare: 1 });
  await run.leave();
  // First an import that is repeated after it was killed, and then another file.
  const again = await portfolios.startImport('q4', file);
  await again.noteLines(all);
  expect(await leftOut()).toEqual({ amount: '99999999999999.30', bare: 2 });
  await again.end();
  const next = await portfolios.startImport('q4', other);
  await next.noteLines(lines([2, BAD, 'a', '7']));
  await next.end();
  expect(await leftOut()).toEqual({ amount: '7.00', bare: 0 });
});

// Promise: left-out-lines-counted-once
test('a faulty line whose row is kept from an earlier import is not counted as left out', async () => {
  const { portfolios, rows } = openLedger();
  const first = await portfolios.startImport('q4', file);
  const row = { portfolio: 'q4', key: 'a' };
  await rows.put(row, 2, first.number, makeRequest());
  await first.end();
  const run = await portfolios.startImport('q4', other);
  const found = async () => {
    const { invalid, duplicate, kept, leftOut } = await portfolios.read('q4');
    return [invalid, duplicate, kept, leftOut?.amount];
  };
  await run.noteLines(lines([3, BAD, 'a', '5'], [4, BAD, 'b', '6'], [5, TWICE, 'a', '70']));
  expect(await found()).toEqual([1, 1, 1, '76.00']);
  // Another line can count as the kept row in its place, also if the first one was valid.
  await run.noteLines(lines([6, BAD, 'a', '800']));
  expect(await found()).toEqual([2, 1, 1, '81.00']);
  await run.noteLines(lines([6, null, 'a', '800']));
  expect(await found()).toEqual([2, 1, 0, '81.00']);
  await run.noteLines(lines([3, BAD, 'a', '5']));
  expect(await found()).toEqual([1, 1, 1, '76.00']);
  // A valid line of the same import renews the row.
  await rows.put(row, 9, run.number, makeRequest({ name: 'Another' }));
  expect(await found()).toEqual([2, 1, 0, '81.00']);
  await run.end();
});

test('a faulty line is left out again once its row is replaced by another line or left out by a file', async () => {
  const { portfolios, rows } = openLedger();
  const first = await portfolios.startImport('q4', file);
  const [a, b] = [
    { portfolio: 'q4', key: 'a' },
    { portfolio: 'q4', key: 'b' },
  ] as const;
  await rows.put(a, 2, first.number, makeRequest());
  await rows.put(b, 3, first.number, makeRequest());
  await first.end();
  const run = await portfolios.startImport('q4', other);
  const found = async () => {
    const { invalid, kept, leftOut } = await portfolios.read('q4');
    return [invalid, kept, leftOut?.amount];
  };
  await run.noteLines(lines([3, BAD, 'a', '5'], [4, BAD, 'b', '6']));
  expect(await found()).toEqual([0, 2, '0.00']);
  const replacing = { importId: '9', begun: '1' };
  expect(await rows.leaveOut(a, replacing, { step: 'limit', message: 'left out' })).toBe(true);
  expect(await found()).toEqual([1, 1, '5.00']);
  await rows.put({ portfolio: 'q4', key: 'c' }, 2, '9', makeRequest(), '', {
    key: 'b',
    problem: { step: 'limit', message: 'replaced' },
  });
  expect(await found()).toEqual([2, 0, '11.00']);
  // The counts stay when the same line is noted once more.
  await run.noteLines(lines([3, BAD, 'a', '5'], [4, BAD, 'b', '6']));
  expect(await found()).toEqual([2, 0, '11.00']);
});

test('amounts that an older version did not store are not subtracted when a row that was left out counts again', async () => {
  const { portfolios, rows, connection, keys } = openLedger();
  const first = await portfolios.startImport('q4', file);
  const row = { portfolio: 'q4', key: 'a' };
  await rows.put(row, 2, first.number, makeRequest());
  await first.end();
  const run = await portfolios.startImport('q4', other);
  await rows.leaveOut(row, { importId: '9', begun: '1' }, { step: 'limit', message: 'left out' });
  await run.noteLines(lines([3, BAD, 'a', '5']));
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 1, kept: 0 });
  await connection.del(keys.leftOut('q4'));
  await rows.put(row, 9, run.number, makeRequest());
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 1, kept: 0 });
  expect(Number(await connection.hget(keys.leftOut('q4'), 'unsummed'))).toBe(0);
});

// Promise: no-sum-of-older-lines
test('lines noted by an older version have no sum, so none is reported', async () => {
  const { portfolios, connection, keys } = openLedger();
  const run = await portfolios.startImport('q4', file);
  await connection.hset(keys.faultyLines('q4', 'invalid'), '2', 'key is|no amount', '3', ' 5|6 wrong');
  expect(await portfolios.read('q4')).toMatchObject({ invalid: 2, leftOut: undefined });
  expect(await portfolios.faultyLines('q4', [2, 3])).toEqual([
    { kind: 'invalid', key: 'key', message: 'is|no amount' },
    { kind: 'invalid', message: '5|6 wrong' },
  ]);
  // An import of both versions at once.
  await run.noteLines(lines([2, BAD, 'key', '3']));
  expect((await portfolios.read('q4')).leftOut).toBeUndefined();
  await run.noteLines(lines([3, BAD, '', '4']));
  expect((await portfolios.read('q4')).leftOut).toEqual({ amount: '7.00', bare: 0 });
  await run.end();
});

test('300,000 faulty lines are written and read in pages, and deleted without blocking Redis', async () => {
  const { admin } = await startKillableRedis();
  // The time for writing them to disk is not tested here.
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
  // Deleted in one command, they would take some 100 ms of Redis' time.
  expect((await busyMs(admin)) - before).toBeLessThan(30);
  expect(await admin.exists(keys.faultyLines('q4', 'invalid'))).toBe(0);
  await next.end();
});

/** The processor time that Redis' main thread has used; unlike wall time, other load does not change it. */
async function busyMs(redis: Redis): Promise<number> {
  const info = await redis.info('cpu');
  const seconds = [...info.matchAll(/used_cpu_(?:user|sys)_main_thread:([\d.]+)/g)].map((match) => Number(match[1]));
  return 1_000 * seconds.reduce((sum, one) => sum + one, 0);
}

test('faulty lines are listed by line with their names, in pages, and found by words of a name', async () => {
  const { portfolios } = openLedger();
  const run = await portfolios.startImport('q4', file);
  await run.noteLines(
    new Map([
      [12, { key: '', name: 'Bau | Söhne 100 %', amount: '5', fault: BAD }],
      [3, { key: 'a', name: 'Müller Bau', amount: '1.5', fault: TWICE }],
      [2, { key: '', fault: BAD }],
    ]),
  );
  const of = (kinds: ('invalid' | 'duplicate')[], more: object = {}) =>
    portfolios.faultyPage('q4', { kinds, count: 2, ...more });
  const [two, three, twelve] = [
    { line: 2, ...BAD },
    { line: 3, ...TWICE, key: 'a', name: 'Müller Bau' },
    { line: 12, ...BAD, name: 'Bau | Söhne 100 %' },
  ];
  expect(await of(['invalid', 'duplicate'])).toEqual({ found: [two, three], next: 3, unlisted: 0 });
  expect(await of(['invalid', 'duplicate'], { after: 3 })).toEqual({ found: [twelve], unlisted: 0 });
  expect(await of(['invalid'])).toEqual({ found: [two, twelve], unlisted: 0 });
  const searched = (text: string) => of(['invalid', 'duplicate'], { text });
  expect((await searched('bau')).found).toEqual([three, twelve]);
  expect((await searched('soe')).found).toEqual([twelve]);
  expect((await searched('2')).found).toEqual([two]);
  expect((await portfolios.read('q4')).leftOut).toEqual({ amount: '6.50', bare: 1 });
});
