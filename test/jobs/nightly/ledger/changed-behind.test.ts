import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { found, quietPlace } from '../../../support/checked-ledger.ts';

// Promise: missing-rows-named
test('missing rows are reported each night with their limits, and the import counts are not lowered', async () => {
  const place = await quietPlace();
  const { ledger, keys, rows, portfolios } = place.context;
  const [inNoIndex, inIndex] = (await rows.inState('q4', 'done', { count: 2 })).map(({ row }) => row);
  const [waiting] = (await rows.inState('to come', 'queued', { count: 1 })).map(({ row }) => row);
  if (!inNoIndex || !inIndex || !waiting) throw new Error('rows lack');
  const made = await Promise.all([inNoIndex, inIndex].map(({ key }) => ledger.hget(keys.call('limit', key), 'id')));
  for (const { portfolio, key } of [inNoIndex, inIndex, waiting]) await ledger.del(keys.row(portfolio, key));
  await ledger.zrem(keys.rowsInState('q4', 'done'), inNoIndex.key);

  const lasting = [
    { portfolio: 'q4', detail: expect.stringMatching(/^4 rows imported = 2 in all states together: 2 imported rows/) },
    { portfolio: 'q4', key: inNoIndex.key, requested: '1000.5', detail: `its limit ${made[0]} was made` },
    { portfolio: 'q4', key: inIndex.key, requested: '2000.5', detail: `its limit ${made[1]} was made` },
    { portfolio: 'q4', detail: expect.stringMatching(/^2 rows done = 4 limits made: 2 limits were made/) },
    {
      portfolio: 'to come',
      detail: expect.stringMatching(/^2 rows imported = 1 in all states together: 1 imported row/),
    },
    {
      portfolio: 'to come',
      key: waiting.key,
      requested: '5000.5',
      detail: expect.stringMatching(/^no limit is known/),
    },
  ].map((facts) => expect.objectContaining({ check: 'counts', isMended: false, ...facts }));
  const first = await found(place);
  expect(first).toEqual(expect.arrayContaining(lasting));
  expect(first).toContainEqual(expect.objectContaining({ key: inIndex.key, line: 3, isMended: false }));
  const second = await found(place);
  expect(second).toEqual(expect.arrayContaining(lasting));
  expect(second).toHaveLength(lasting.length);
  expect((await portfolios.read('q4')).counted).toEqual({ added: { 1: 4 }, limitsMade: 4 });
});

// Promise: missing-rows-named
test('missing rows are restored by importing their file again, each counted once with its own limit', async () => {
  const place = await quietPlace();
  const { ledger, keys, rows, portfolios } = place.context;
  const before = await place.report();
  const done = await rows.inState('q4', 'done', { count: 4 });
  const waiting = await rows.inState('to come', 'queued', { count: 2 });
  for (const { row } of [...done.slice(0, 2), ...waiting]) await ledger.del(keys.row(row.portfolio, row.key));
  await place.importFile(place.path, {}, { portfolio: 'to come' });
  // Rows are restored both before and after a night.
  await found(place);
  const path = join(place.dir, 'again.csv');
  const header = 'name,country_code,company_registration_number,requested_limit,supporting_documents';
  const again = [1, 2, 3, 4].map((n) => `Buyer ${n} GmbH,DE,HRB ${n},${n}000.50,${n === 1 ? 'balance.pdf' : ''}`);
  await writeFile(path, [header, ...again, ''].join('\n'));
  expect((await place.importFile(path)).problems).toEqual([]);
  expect(await found(place)).toEqual([]);
  expect((await portfolios.read('q4')).counted).toEqual({ added: { 1: 4 }, limitsMade: 4 });
  const { states, granted, requested } = await place.report();
  expect({ states, granted, requested }).toEqual({
    states: before.states,
    granted: before.granted,
    requested: before.requested,
  });
});

// Promise: no-call-invented
test('a row marked done without a call is reported, and no call is invented for it', async () => {
  const place = await quietPlace();
  const { ledger, keys, rows } = place.context;
  const [row] = (await rows.inState('to come', 'queued', { count: 1 })).map((one) => one.row);
  if (!row) throw new Error('no row waits');
  await ledger.hset(keys.row(row.portfolio, row.key), {
    state: 'done',
    limit: 'bl_invented',
    company: 'company_invented',
  });
  await ledger.zrem(keys.rowsInState('to come', 'queued'), row.key);
  await ledger.zadd(keys.rowsInState('to come', 'done'), 2, row.key);
  const named = [
    { check: 'calls', key: row.key, detail: 'bl_invented' },
    { check: 'calls', key: row.key, detail: 'company_invented' },
    { check: 'counts', detail: expect.stringMatching(/^1 row done = 0 limits made: 1 done row has no limit/) },
  ].map((facts) => expect.objectContaining({ portfolio: 'to come', isMended: false, ...facts }));
  expect(await found(place)).toEqual(expect.arrayContaining(named));
  expect(await found(place)).toEqual(expect.arrayContaining(named));
  expect(await ledger.exists(keys.call('limit', row.key))).toBe(0);
});

// Promise: open-row-gets-its-job
test('waiting rows of a portfolio that counts as finished are processed after the check', async () => {
  const place = await quietPlace();
  const { ledger, keys, portfolios } = place.context;
  await ledger.hset(keys.portfolio('to come'), 'finished', 1);
  expect(await found(place)).toEqual([
    expect.objectContaining({ check: 'no job', portfolio: 'to come', rows: 2, isMended: true }),
  ]);
  expect(await found(place)).toEqual([]);
  expect((await portfolios.open()).map(({ name }) => name)).toEqual(['to come']);
  await place.work();
  expect((await place.settled('to come')).states.done).toBe(2);
});

// Promise: open-row-gets-its-job
test('after the check, rows whose jobs were deleted are processed', async () => {
  const place = await quietPlace();
  const { queues, rows } = place.context;
  const [begun, waiting] = (await rows.inState('to come', 'queued', { count: 2 })).map(({ row }) => row);
  if (!begun || !waiting) throw new Error('nothing waits');
  await rows.begin(begun, 'company');
  await queues.forget([begun, waiting]);
  expect(await found(place)).toEqual([
    expect.objectContaining({ check: 'no job', key: begun.key, name: 'Buyer 5 GmbH', isMended: true }),
  ]);
  expect(await queues.hasJob(begun)).toBe(true);
  await place.work();
  expect((await place.settled('to come')).states.done).toBe(2);
});
