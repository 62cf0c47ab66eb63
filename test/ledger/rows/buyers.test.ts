import { expect, test } from 'vitest';
import { makeBuyers } from '../../../src/ledger/rows/buyers.ts';
import { openLedger } from '../../support/ledger.ts';

const [DIGEST, OTHER, KEY] = ['aaaaaaaaaaaaaaaa', 'aaaaaaaaaaaaaaab', 'kkkkkkkkkkkkkkkk'];
const words = {
  holders: new Map([[DIGEST, `${KEY}!`]]),
  buyers: new Map([[KEY, '{}']]),
  mends: [],
  likes: new Set<string>(),
};

test('a change is written only as long as what was read is still so', async () => {
  const ledger = openLedger();
  const buyers = makeBuyers(ledger);
  const { version } = await buyers.read([DIGEST]);
  expect(await buyers.write({ ...words, version })).toBe(true);
  expect(await buyers.write({ ...words, version })).toBe(false);
  const read = await buyers.read([
    DIGEST,
    OTHER,
    ...Array.from({ length: 1_000 }, (_none, n) => String(n).padStart(16, 'b')),
  ]);
  expect(read.holders).toEqual(new Map([[DIGEST, `${KEY}!`]]));
  expect(read.buyers).toEqual(new Map([[KEY, '{}']]));
});

test('a corrected name is written only while nothing was sent, and jobs of the old one send nothing', async () => {
  const ledger = openLedger();
  const { connection, keys } = ledger;
  const buyers = makeBuyers(ledger);
  const row = { portfolio: 'q4', key: 'rrrrrrrrrrrrrrrr' };
  const mends = [{ buyer: KEY, row }];
  await connection.hset(keys.row(row.portfolio, row.key), 'rev', '1');
  const mend = async () => buyers.write({ ...words, mends, version: (await buyers.read([DIGEST])).version });
  expect(await mend()).toBe(true);
  expect(await connection.hget(keys.row(row.portfolio, row.key), 'rev')).toBe('2');
  expect(await buyers.unsent([{ key: KEY, row }])).toEqual(new Set([KEY]));
  for (const call of [keys.call('company', KEY), keys.call('limit', row.key)]) {
    await connection.hset(call, 'state', 'claimed');
    expect(await mend()).toBe(false);
    expect(await buyers.unsent([{ key: KEY, row }])).toEqual(new Set());
    await connection.del(call);
  }
  expect(await connection.hget(keys.row(row.portfolio, row.key), 'rev')).toBe('2');
});
