import { expect, test } from 'vitest';
import { findBuyers } from '../../../../jobs/story/find-buyers.ts';
import { found, quietPlace } from '../../../support/checked-ledger.ts';

// Promise: search-indexes-mended
test('the search words of buyers are compared with their records, and missing words are added', async () => {
  const place = await quietPlace();
  const { ledger, keys, rows } = place.context;
  const find = async (text: string) => {
    const { buyers } = await findBuyers(text, { after: '', count: 20 }, place.context);
    return buyers.flatMap(({ names }) => names.map(({ name }) => name)).sort();
  };
  const all = [1, 2, 3, 4, 5, 6].map((n) => `Buyer ${n} GmbH`);
  expect(await find('buyer')).toEqual(all);
  expect(await found(place)).toEqual([]);

  const [{ row } = place] = await rows.inState('q4', 'done', { count: 1 });
  const [result] = await rows.read([row]);
  const { buyer = '', name = '' } = result?.request ?? {};
  await ledger.zrem(`${keys.words}:`, `buyer ${buyer}`);
  await ledger.zadd(`${keys.words}:`, 0, `strange ${buyer}`, 0, 'strange kkkkkkkkkkkkkkkk');
  expect(await find('buyer')).toEqual(all.filter((one) => one !== name));
  expect(await found(place)).toEqual([
    expect.objectContaining({
      check: 'indexes',
      says: expect.stringContaining('words that they do not have'),
      rows: 2,
    }),
    expect.objectContaining({ check: 'indexes', says: expect.stringContaining('all of their words'), rows: 1 }),
  ]);
  expect(await find('buyer')).toEqual(all);

  // An older version left a record without words, and no entry.
  const record = JSON.parse((await ledger.get(keys.buyer(buyer))) ?? '');
  await ledger.set(keys.buyer(buyer), JSON.stringify({ ...record, w: undefined }));
  await ledger.zrem(`${keys.words}:`, `buyer ${buyer}`);
  await found(place);
  expect(await find('buyer')).toEqual(all);
  expect(JSON.parse((await ledger.get(keys.buyer(buyer))) ?? '')).toEqual(record);
  expect(await found(place)).toEqual([]);
});

// Promise: search-indexes-mended
test('search words in several index leaves are compared, and a word in the wrong leaf is moved back', async () => {
  const place = await quietPlace();
  const { ledger, keys } = place.context;
  const lowest = keys.leafOfWords('');
  const entries = await ledger.zrange(lowest, '0', '-1');
  const upper = entries.slice(entries.length / 2);
  const [first = '', second = ''] = upper;
  const leaf = keys.leafOfWords(first);
  await ledger.zadd(keys.words, 0, first);
  await ledger.zadd(leaf, ...upper.flatMap((entry) => [0, entry]));
  await ledger.zrem(lowest, ...upper);
  expect(await found(place)).toEqual([]);

  await ledger.zrem(leaf, second);
  await ledger.zadd(lowest, 0, second);
  expect(await found(place)).toEqual([
    expect.objectContaining({ says: expect.stringContaining('words that they do not have'), rows: 1 }),
    expect.objectContaining({ says: expect.stringContaining('all of their words'), rows: 1 }),
  ]);
  expect(await ledger.zrange(lowest, '0', '-1')).not.toContain(second);
  expect(await ledger.zrange(leaf, '0', '-1')).toEqual(upper);
  expect(await found(place)).toEqual([]);
});
