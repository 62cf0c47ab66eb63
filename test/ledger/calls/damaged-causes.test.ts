import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

type Ledger = ReturnType<typeof openLedger>;

async function bringIn({ rows }: Ledger, portfolio: string) {
  const row = { portfolio, key: `${portfolio}-0` };
  await rows.put(row, 2, '1', makeRequest({ buyer: row.key }));
  return row;
}

test('a line of another portfolio comes in whole, though the columns of one of the same moment are damaged', async () => {
  const ledger = openLedger();
  await bringIn(ledger, 'bad');
  await ledger.connection.del(`${ledger.keys.portfolio('bad')}:columns`);
  await ledger.connection.set(`${ledger.keys.portfolio('bad')}:columns`, 'damaged');
  const put = (portfolio: string, at: number) =>
    ledger.rows.put(
      { portfolio, key: `${portfolio}-${at}` },
      at + 2,
      '1',
      makeRequest({ buyer: `${portfolio}-${at}`, limit: { requested_limit: '77' } }),
    );
  const [, good] = await Promise.allSettled([put('bad', 1), put('good', 1)]);
  const { connection, keys } = ledger;
  expect.soft(good).toMatchObject({ status: 'fulfilled', value: 'added' });
  expect.soft(await connection.hget(keys.row('good', 'good-1'), 'state')).toBe('queued');
  expect.soft(await connection.zrange(keys.rowsInState('good', 'queued'), '0', '-1')).toEqual(['good-1']);
  // Told again, as who imports the file once more does.
  await put('good', 1).catch(() => {});
  expect(await connection.zrange(keys.rowsInState('good', 'queued'), '0', '-1')).toEqual(['good-1']);
});

test('a claim of another portfolio is answered, though the causes of one of the same moment are damaged', async () => {
  const ledger = openLedger();
  const [bad, good] = [await bringIn(ledger, 'bad'), await bringIn(ledger, 'good')];
  await ledger.rows.begin(bad, 'company');
  await ledger.rows.begin(good, 'company');
  const { connection, keys } = ledger;
  // A row that was refused for a cause, as a late answer finds it.
  await connection.hset(keys.row('bad', bad.key), {
    state: 'held',
    step: 'company',
    cause: 'c1',
    tally: 'a|held|1000||||c1|',
  });
  await connection.set(`${keys.portfolio('bad')}:causes`, 'damaged');
  const ann = await ledger.process('ann');
  const thing = { kind: 'company' as const, key: good.key, row: good, revision: '0', buyer: good.key, sent: 'words' };
  const [, claim] = await Promise.allSettled([
    ledger.rows.advance(bad, 'company', 'limit', { company: 'company_1' }),
    ann.atMostOnce.claim(thing, 'hold'),
  ]);
  expect.soft(claim).toMatchObject({ status: 'fulfilled', value: { is: 'go' } });
  if (claim?.status === 'rejected')
    expect(await connection.hget(keys.call('company', good.key), 'state')).not.toBe('claimed');
});

test('a row of another portfolio that is sent again stands where it waits, though the causes of one of the same moment are damaged', async () => {
  const ledger = openLedger();
  const [bad, good] = [await bringIn(ledger, 'bad'), await bringIn(ledger, 'good')];
  const { connection, keys, rows } = ledger;
  for (const row of [bad, good]) {
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'refused', { problem: { step: 'company', message: 'no' } });
  }
  await connection.hset(keys.row('bad', bad.key), { cause: 'c1', tally: 'a|refused|1000||||c1|' });
  await connection.set(`${keys.portfolio('bad')}:causes`, 'damaged');
  const [, again] = await Promise.allSettled([rows.requeue(bad, 'refused'), rows.requeue(good, 'refused')]);
  expect.soft(again).toMatchObject({ status: 'fulfilled', value: true });
  expect.soft(await connection.hget(keys.row('good', good.key), 'state')).toBe('queued');
  expect.soft(await connection.zrange(keys.rowsInState('good', 'queued'), '0', '-1')).toEqual([good.key]);
  expect(await rows.requeue(good, 'refused')).toBe(false);
  expect((await ledger.portfolios.read('good')).states).toMatchObject({ queued: 1, refused: 0 });
});
