import { expect, test } from 'vitest';
import { makeBuyerLists } from '../../../src/ledger/nightly/buyer-lists.ts';
import { openLedger } from '../../support/ledger.ts';

test("concurrent checks of a buyer's list remove each duplicate id once and keep the rest", async () => {
  const { connection, keys } = openLedger();
  const lists = makeBuyerLists({ connection, keys });
  for (let time = 0; time < 20; time += 1) {
    await connection.rpush(keys.buyerLimits(`b${time}`), 'bl_1', 'bl_2', 'bl_1', 'bl_1');
    const looks = await Promise.all([1, 2, 3].map(() => lists.look(`b${time}`)));
    expect(looks.flatMap(({ twice }) => twice)).toEqual(['bl_1']);
    expect(await connection.lrange(keys.buyerLimits(`b${time}`), 0, -1)).toEqual(['bl_1', 'bl_2']);
  }
});
