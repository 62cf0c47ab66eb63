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

test('a change of buyers is written only if nothing changed since they were read', async () => {
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

test('a corrected name is written only while nothing was sent, and raises the revision of its row', async () => {
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

const keyOf = (n: number) => String(n).padStart(16, 'k');

test('the words of many buyers are stored in small sorted sets, read in order and in pages, and deleted with the buyers', async () => {
  const ledger = openLedger();
  const { connection, keys } = ledger;
  const buyers = makeBuyers(ledger);
  const write = async (records: [number, string][]) => {
    const { version } = await buyers.read(['a'.repeat(16)]);
    const changed = new Map(records.map(([n, words]) => [keyOf(n), JSON.stringify({ n: ['"w":"no'], w: words })]));
    expect(await buyers.write({ version, holders: new Map(), buyers: changed, mends: [], likes: new Set() })).toBe(
      true,
    );
  };
  // A number that jumps back and forth, so that each part of the order is split.
  const wordOf = (n: number) => `w${String((n * 7_919) % 1_000).padStart(4, '0')}`;
  const all = Array.from({ length: 1_000 }, (_none, n) => n);
  await write(all.map((n) => [n, `${wordOf(n)} müller`]));
  const leaves = [
    `${keys.words}:`,
    ...(await connection.zrange(keys.words, '0', '-1')).map((one) => `${keys.words}:${one}`),
  ];
  expect(leaves.length).toBeGreaterThan(20);
  for (const leaf of leaves) expect(await connection.object('ENCODING', leaf)).toBe('listpack');

  const paged: string[] = [];
  for (let after = ''; ; ) {
    const page = await buyers.withWord('w', { after, most: 130 });
    paged.push(...page);
    if (page.length < 130) break;
    after = page.at(-1) ?? '';
  }
  expect(paged).toEqual(all.map((n) => `${wordOf(n)} ${keyOf(n)}`).sort());
  expect(await buyers.withWord('w0500', { most: 5 })).toHaveLength(1);
  expect(await buyers.withWord('mül', { most: 2_000 })).toHaveLength(1_000);
  expect(await buyers.withWord('x', { most: 5 })).toEqual([]);
  expect(await buyers.withWord('no', { most: 5 })).toEqual([]);

  await write(all.map((n) => [n, n < 3 ? 'left' : '']));
  expect(await buyers.withWord('w', { most: 5 })).toEqual([]);
  expect(await buyers.withWord('', { most: 5 })).toEqual([0, 1, 2].map((n) => `left ${keyOf(n)}`));
  expect((await connection.keys(`${keys.words}*`)).length).toBeLessThanOrEqual(3);
});
