import { expect, test } from 'vitest';
import { makeFinished } from '../../../src/ledger/rows/finished.ts';
import { openLedger } from '../../support/ledger.ts';

async function openPlace() {
  const { connection, keys } = openLedger();
  const process = (processId: string, sinceMs = 1_000) => makeFinished({ connection, keys, processId, sinceMs });
  return {
    process,
    /** Writes what noteFinish (move.lua) writes. */
    async finish(name: string, atMs: number) {
      await connection.zadd(keys.portfolios, 'NX', '1', name);
      await connection.hset(keys.portfolio(name), 'finished', atMs);
    },
    reopen: (name: string) => connection.hdel(keys.portfolio(name), 'finished'),
  };
}

// Promise: finished-logged-once
test('each finish of a portfolio is reported once, to one of several processes', async () => {
  const place = await openPlace();
  const [one, other] = [place.process('one'), place.process('other')];
  await place.finish('q4', 2_000);
  const told = await Promise.all([one.news(), other.news()]);
  expect(told.flat()).toEqual(['q4']);
  expect([...(await one.news()), ...(await other.news())]).toEqual([]);

  await place.reopen('q4');
  expect(await one.news()).toEqual([]);
  await place.finish('q4', 3_000);
  expect(await other.news()).toEqual(['q4']);
  expect(await one.news()).toEqual([]);
});

test('portfolios that finished before the first question are not reported, and a lost reply loses no report', async () => {
  const place = await openPlace();
  await place.finish('old', 999);
  await place.finish('q4', 2_000);
  expect(await place.process('one').news()).toEqual(['q4']);
  // The same process asks again because its reply was lost.
  expect(await place.process('one').news()).toEqual(['q4']);
  expect(await place.process('other').news()).toEqual([]);
});
