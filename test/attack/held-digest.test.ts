import { expect, test } from 'vitest';
import { openLedger } from '../support/ledger.ts';

test('a row that is held again is seen, also where the clock of a promoted replica is behind', async () => {
  const { connection, keys, stories } = openLedger();
  await connection.zadd(keys.held, 1_000, 'q4/AAAAAAAAAAAAAAAA', 2_000, 'q4/BBBBBBBBBBBBBBBB');
  const before = await stories.heldDigest();
  await connection.zadd(keys.held, 1_500, 'q4/AAAAAAAAAAAAAAAA');
  expect(await stories.heldDigest()).not.toEqual(before);
});
