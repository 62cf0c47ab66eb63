import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

type Ledger = ReturnType<typeof openLedger>;

/** Brings in some rows of a portfolio, each of a buyer of its own. */
async function bringIn({ rows }: Ledger, portfolio: string, count: number) {
  const found = Array.from({ length: count }, (_, at) => ({ portfolio, key: `${portfolio}-${at}` }));
  for (const [at, row] of found.entries()) await rows.put(row, at + 2, 'import-1', makeRequest({ buyer: row.key }));
  return found;
}

/** Takes a row up and claims the call of its limit, as a worker does that looks for the way on at once. */
async function claimLimit(ledger: Ledger, row: { portfolio: string; key: string }) {
  const { atMostOnce } = await ledger.process('ann');
  await ledger.rows.begin(row, 'company');
  await ledger.rows.advance(row, 'company', 'limit', { company: 'company_1' });
  const thing = { kind: 'limit' as const, key: row.key, row, revision: '0', buyer: row.key, sent: 'words' };
  const claim = await atMostOnce.claim(thing, 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  const move = { limit: 'limit_1', record: {}, revision: '0' };
  const onward = { moving: ledger.rows.moving('limit', 'done', move), next: undefined, onUnknown: 'hold' as const };
  return { thing, settle: () => claim.settle({ is: 'made', id: 'limit_1', record: {} }, onward) };
}

test('what is damaged of one portfolio keeps no row of another from being served at the same moment', async () => {
  const ledger = openLedger();
  const [bad] = await bringIn(ledger, 'bad', 1);
  const [good] = await bringIn(ledger, 'good', 1);
  await ledger.connection.set(`${ledger.keys.portfolio('bad')}:state:company`, 'damaged');
  const begun = [bad, good].map((row) => ledger.rows.begin(row ?? { portfolio: '', key: '' }, 'company'));
  const [ofBad, ofGood] = await Promise.allSettled(begun);
  expect(ofBad).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/^WRONGTYPE/) } });
  expect(ofGood).toMatchObject({ status: 'fulfilled', value: { state: 'company' } });
});

test('a row that lost its line keeps no other of its moment out of the set of their state', async () => {
  const ledger = openLedger();
  const rows = await bringIn(ledger, 'q4', 3);
  await ledger.connection.hdel(ledger.keys.row('q4', 'q4-1'), 'line');
  await Promise.allSettled(rows.map((row) => ledger.rows.begin(row, 'company')));
  const inSet = await ledger.connection.zrange(`${ledger.keys.portfolio('q4')}:state:company`, '0', '-1');
  expect(inSet).toEqual(expect.arrayContaining(['q4-0', 'q4-2']));
});

test('what was made is written down, though the portfolio that its row goes on in is damaged', async () => {
  const ledger = openLedger();
  const [row = { portfolio: '', key: '' }] = await bringIn(ledger, 'q4', 1);
  const { thing, settle } = await claimLimit(ledger, row);
  await ledger.connection.set(`${ledger.keys.portfolio('q4')}:imports`, 'damaged');
  await ledger.connection.del(`${ledger.keys.portfolio('q4')}:state:done`);
  await ledger.connection.set(`${ledger.keys.portfolio('q4')}:state:done`, 'damaged');
  expect(await settle()).toMatchObject({ is: 'made', id: 'limit_1' });
  expect(await ledger.calls.madeId(thing)).toBe('limit_1');
});

test('so it is where another portfolio is damaged whose row was to be served at the same moment', async () => {
  const ledger = openLedger();
  const [row = { portfolio: '', key: '' }] = await bringIn(ledger, 'q4', 1);
  const [bad = { portfolio: '', key: '' }] = await bringIn(ledger, 'bad', 1);
  const { thing, settle } = await claimLimit(ledger, row);
  // Its own portfolio was finished when it came back.
  await ledger.connection.hset(ledger.keys.portfolio('q4'), { finished: '1' });
  await ledger.connection.set(`${ledger.keys.portfolio('bad')}:state:company`, 'damaged');
  const [, made] = await Promise.allSettled([ledger.rows.begin(bad, 'company'), settle()]);
  expect(made).toMatchObject({ status: 'fulfilled', value: { is: 'made', id: 'limit_1' } });
  expect(await ledger.calls.madeId(thing)).toBe('limit_1');
});

test('sums count nothing of a row that could not be written', async () => {
  const ledger = openLedger();
  const [row = { portfolio: '', key: '' }] = await bringIn(ledger, 'q4', 1);
  const { settle } = await claimLimit(ledger, row);
  const sums = `${ledger.keys.portfolio('q4')}:sums:a`;
  const before = await ledger.connection.hgetall(sums);
  await ledger.connection.set(ledger.keys.buyerLimits(row.key), 'damaged');
  expect(await settle()).not.toHaveProperty('onward');
  expect(await ledger.connection.hgetall(sums)).toEqual(before);
});

test('a call that was claimed in a damaged portfolio is given back', async () => {
  const ledger = openLedger();
  const [row = { portfolio: '', key: '' }] = await bringIn(ledger, 'q4', 1);
  const { atMostOnce } = await ledger.process('ann');
  await ledger.connection.hset(ledger.keys.portfolio('q4'), { 'canary:company': 'ok' });
  await ledger.rows.begin(row, 'company');
  const of = { row, revision: '0', buyer: row.key, sent: 'words' };
  const claim = await atMostOnce.claim({ ...of, kind: 'company', key: row.key }, 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  await ledger.connection.set(`${ledger.keys.portfolio('q4')}:state:limit`, 'damaged');
  const moving = ledger.rows.moving('company', 'limit', { company: 'company_1', answered: true, revision: '0' });
  const next = { ...of, kind: 'limit' as const, key: row.key };
  await claim.settle({ is: 'made', id: 'company_1', record: {} }, { moving, next, onUnknown: 'hold' });
  expect(await ledger.connection.hget(ledger.keys.call('limit', row.key), 'state')).toBe('free');
});

test('what was made is counted, though the approval by which its row would go on is damaged', async () => {
  const ledger = openLedger();
  const [row = { portfolio: '', key: '' }] = await bringIn(ledger, 'q4', 1);
  const { atMostOnce } = await ledger.process('ann');
  await ledger.rows.begin(row, 'company');
  await ledger.rows.advance(row, 'company', 'documents', { company: 'company_1' });
  const of = { row, kind: 'document' as const, revision: '0', buyer: row.key };
  const claim = await atMostOnce.claim({ ...of, key: 'one', sent: 'one' }, 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  await ledger.connection.hset(ledger.keys.row('q4', row.key), { approval: 'a' });
  await ledger.connection.set(ledger.keys.account.replace(/account$/, 'approval:a'), 'damaged');
  const onward = { moving: ledger.rows.moving('documents', '', { revision: '0' }), next: { ...of, key: 'two' } };
  await claim.settle({ is: 'made', id: 'document_1', record: {} }, { ...onward, onUnknown: 'hold' });
  expect(await ledger.connection.hget(ledger.keys.portfolio('q4'), 'made:document')).toBe('1');
  expect(await ledger.connection.hget(ledger.keys.account, 'made:document')).toBe('1');
});
