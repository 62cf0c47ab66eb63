import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

/** A ledger with one row whose limit call is claimed by a process. */
async function claimed() {
  const ledger = openLedger();
  const row = { portfolio: 'q4', key: 'row-1' };
  await ledger.rows.put(row, 2, '1', makeRequest());
  await ledger.rows.begin(row, 'company');
  await ledger.rows.advance(row, 'company', 'limit', { company: 'company_1' });
  const ann = await ledger.process('ann');
  const thing = { kind: 'limit' as const, key: row.key, row, revision: '0', buyer: 'buyer-of-muster', sent: 'words' };
  const claim = await ann.atMostOnce.claim(thing, 'hold');
  if (claim.is !== 'go') throw new Error(claim.is);
  return { ledger, ann, thing, claim };
}

test('a limit that was made is on record, though its buyer’s list of limits is damaged', async () => {
  const { ledger, thing, claim } = await claimed();
  await ledger.connection.set(ledger.keys.buyerLimits(thing.buyer), 'damaged');
  await claim.settle({ is: 'made', id: 'limit_1', record: {} }).catch(() => {});
  expect(await ledger.calls.madeId(thing)).toBe('limit_1');
});

test('it is not sent a second time when its sender is gone, whatever ON_UNKNOWN_LIMIT says', async () => {
  const { ledger, ann, thing, claim } = await claimed();
  await ledger.connection.set(ledger.keys.buyerLimits(thing.buyer), 'damaged');
  await claim.settle({ is: 'made', id: 'limit_1', record: {} }).catch(() => {});
  await ann.vanish();
  await ledger.connection.zrem(ledger.keys.account.replace(/account$/, 'workers'), 'ann');
  const bob = await ledger.process('bob');
  const again = await bob.atMostOnce.claim(thing, 'resend');
  expect(again.is).not.toBe('go');
});
