import { expect, test } from 'vitest';
import { makeRequest, openLedger } from '../../support/ledger.ts';

type Ledger = ReturnType<typeof openLedger>;

/** Imports some rows of a portfolio, each with its own buyer. */
async function bringIn({ rows }: Ledger, portfolio: string, count: number) {
  const found = Array.from({ length: count }, (_, at) => ({ portfolio, key: `${portfolio}-${at}` }));
  for (const [at, row] of found.entries()) await rows.put(row, at + 2, 'import-1', makeRequest({ buyer: row.key }));
  return found;
}

/** Imports one row of a portfolio. */
const bringOne = async (ledger: Ledger, portfolio: string) => {
  const [row = { portfolio, key: '' }] = await bringIn(ledger, portfolio, 1);
  return row;
};

/** Replaces a key of a portfolio with a value of another type. */
async function damage({ connection, keys }: Ledger, portfolio: string, what: string): Promise<void> {
  await connection.del(`${keys.portfolio(portfolio)}:${what}`);
  await connection.set(`${keys.portfolio(portfolio)}:${what}`, 'damaged');
}

/** Starts a row and claims its limit call, like a worker that asks for the next move in the same batch. */
async function claimLimit(ledger: Ledger, row: { portfolio: string; key: string }) {
  const { atMostOnce, vanish } = await ledger.process('ann');
  await ledger.rows.begin(row, 'company');
  await ledger.rows.advance(row, 'company', 'limit', { company: 'company_1' });
  const thing = { kind: 'limit' as const, key: row.key, row, revision: '0', buyer: row.key, sent: 'words' };
  const claim = await atMostOnce.claim(thing, 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  const move = { limit: 'limit_1', record: {}, revision: '0' };
  const after = { moving: ledger.rows.moving('limit', 'done', move), next: undefined, onUnknown: 'hold' as const };
  const made = { is: 'made', id: 'limit_1', record: {} } as const;
  return { thing, vanish, settle: () => claim.settle(made, after), settleAlone: () => claim.settle(made) };
}

test('a damaged portfolio does not stop a row of another portfolio in the same batch', async () => {
  const ledger = openLedger();
  const both = [await bringOne(ledger, 'bad'), await bringOne(ledger, 'good')];
  await damage(ledger, 'bad', 'state:company');
  const begun = both.map((row) => ledger.rows.begin(row, 'company'));
  const [ofBad, ofGood] = await Promise.allSettled(begun);
  expect(ofBad).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/^WRONGTYPE/) } });
  expect(ofGood).toMatchObject({ status: 'fulfilled', value: { state: 'company' } });
});

test("a row without its line number does not keep other rows of the same batch out of their state's set", async () => {
  const ledger = openLedger();
  const rows = await bringIn(ledger, 'q4', 3);
  await ledger.connection.hdel(ledger.keys.row('q4', 'q4-1'), 'line');
  await Promise.allSettled(rows.map((row) => ledger.rows.begin(row, 'company')));
  const inSet = await ledger.connection.zrange(`${ledger.keys.portfolio('q4')}:state:company`, '0', '-1');
  expect(inSet).toEqual(expect.arrayContaining(['q4-0', 'q4-2']));
});

test('a made limit is recorded even if the portfolio of its row is damaged', async () => {
  const ledger = openLedger();
  const row = await bringOne(ledger, 'q4');
  const { thing, settle } = await claimLimit(ledger, row);
  for (const what of ['imports', 'state:done']) await damage(ledger, 'q4', what);
  expect(await settle()).toMatchObject({ is: 'made', id: 'limit_1' });
  expect(await ledger.calls.madeId(thing)).toBe('limit_1');
});

test('a made limit is recorded even if a damaged portfolio has a row in the same batch', async () => {
  const ledger = openLedger();
  const row = await bringOne(ledger, 'q4');
  const bad = await bringOne(ledger, 'bad');
  const { thing, settle } = await claimLimit(ledger, row);
  // The portfolio was finished when its row came back.
  await ledger.connection.hset(ledger.keys.portfolio('q4'), { finished: '1' });
  await damage(ledger, 'bad', 'state:company');
  const [, made] = await Promise.allSettled([ledger.rows.begin(bad, 'company'), settle()]);
  expect(made).toMatchObject({ status: 'fulfilled', value: { is: 'made', id: 'limit_1' } });
  expect(await ledger.calls.madeId(thing)).toBe('limit_1');
});

test('the sums do not change if the row cannot be written', async () => {
  const ledger = openLedger();
  const row = await bringOne(ledger, 'q4');
  const { settle } = await claimLimit(ledger, row);
  const sums = `${ledger.keys.portfolio('q4')}:sums:a`;
  const before = await ledger.connection.hgetall(sums);
  await ledger.connection.set(ledger.keys.buyerLimits(row.key), 'damaged');
  expect(await settle()).not.toHaveProperty('moved');
  expect(await ledger.connection.hgetall(sums)).toEqual(before);
});

test("the next call's claim is released if its portfolio is damaged", async () => {
  const ledger = openLedger();
  const row = await bringOne(ledger, 'q4');
  const { atMostOnce } = await ledger.process('ann');
  await ledger.connection.hset(ledger.keys.portfolio('q4'), { 'canary:company': 'ok' });
  await ledger.rows.begin(row, 'company');
  const of = { row, revision: '0', buyer: row.key, sent: 'words' };
  const claim = await atMostOnce.claim({ ...of, kind: 'company', key: row.key }, 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  await damage(ledger, 'q4', 'state:limit');
  const moving = ledger.rows.moving('company', 'limit', { company: 'company_1', answered: true, revision: '0' });
  const next = { ...of, kind: 'limit' as const, key: row.key };
  await claim.settle({ is: 'made', id: 'company_1', record: {} }, { moving, next, onUnknown: 'hold' });
  expect(await ledger.connection.hget(ledger.keys.call('limit', row.key), 'state')).toBe('free');
});

test('a made document is counted even if the approval of its row is damaged', async () => {
  const ledger = openLedger();
  const row = await bringOne(ledger, 'q4');
  const { atMostOnce } = await ledger.process('ann');
  await ledger.rows.begin(row, 'company');
  await ledger.rows.advance(row, 'company', 'documents', { company: 'company_1' });
  const of = { row, kind: 'document' as const, revision: '0', buyer: row.key };
  const claim = await atMostOnce.claim({ ...of, key: 'one', sent: 'one' }, 'hold');
  if (claim.is !== 'go') throw new Error(`not claimed: ${claim.is}`);
  await ledger.connection.hset(ledger.keys.row('q4', row.key), { approval: 'a' });
  await ledger.connection.set(ledger.keys.account.replace(/account$/, 'approval:a'), 'damaged');
  const after = { moving: ledger.rows.moving('documents', '', { revision: '0' }), next: { ...of, key: 'two' } };
  await claim.settle({ is: 'made', id: 'document_1', record: {} }, { ...after, onUnknown: 'hold' });
  expect(await ledger.connection.hget(ledger.keys.portfolio('q4'), 'made:document')).toBe('1');
  expect(await ledger.connection.hget(ledger.keys.account, 'made:document')).toBe('1');
});

test("a limit stays recorded if its buyer's list of limits is damaged, and is not sent again after its sender vanished", async () => {
  const ledger = openLedger();
  const row = await bringOne(ledger, 'q4');
  const { thing, vanish, settleAlone } = await claimLimit(ledger, row);
  await ledger.connection.set(ledger.keys.buyerLimits(row.key), 'damaged');
  await settleAlone().catch(() => {});
  expect(await ledger.calls.madeId(thing)).toBe('limit_1');
  await vanish();
  await ledger.connection.zrem(ledger.keys.workers, 'ann');
  const bob = await ledger.process('bob');
  expect((await bob.atMostOnce.claim(thing, 'resend')).is).not.toBe('go');
});

test('a new row is stored completely although the columns of another portfolio in the batch are damaged', async () => {
  const ledger = openLedger();
  const { rows, connection, keys } = ledger;
  await bringOne(ledger, 'bad');
  await damage(ledger, 'bad', 'columns');
  const put = (portfolio: string) => {
    const row = { portfolio, key: `${portfolio}-1` };
    return rows.put(row, 3, '1', makeRequest({ buyer: row.key, limit: { requested_limit: '77' } }));
  };
  const [, good] = await Promise.allSettled([put('bad'), put('good')]);
  const queued = () => connection.zrange(keys.rowsInState('good', 'queued'), '0', '-1');
  expect.soft(good).toMatchObject({ status: 'fulfilled', value: 'added' });
  expect.soft(await connection.hget(keys.row('good', 'good-1'), 'state')).toBe('queued');
  expect.soft(await queued()).toEqual(['good-1']);
  // The command is repeated, as by a second import of the file.
  await put('good').catch(() => {});
  expect(await queued()).toEqual(['good-1']);
});

/** Two rows; the one in `bad` failed with a cause, and the causes of that portfolio are damaged. */
async function openDamagedCauses(state: 'held' | 'refused') {
  const ledger = openLedger();
  const [bad, good] = [await bringOne(ledger, 'bad'), await bringOne(ledger, 'good')];
  for (const row of [bad, good]) {
    await ledger.rows.begin(row, 'company');
    const problem = { step: 'company', message: 'no' } as const;
    if (state === 'refused') await ledger.rows.advance(row, 'company', state, { problem });
  }
  const tally = `a|${state}|1000||||c1|`;
  await ledger.connection.hset(ledger.keys.row('bad', bad.key), { state, step: 'company', cause: 'c1', tally });
  await damage(ledger, 'bad', 'causes');
  return { ledger, bad, good };
}

test('a claim is answered although the causes of another portfolio in the batch are damaged', async () => {
  const { ledger, bad, good } = await openDamagedCauses('held');
  const ann = await ledger.process('ann');
  const thing = { kind: 'company' as const, key: good.key, row: good, revision: '0', buyer: good.key, sent: 'words' };
  const [, claim] = await Promise.allSettled([
    ledger.rows.advance(bad, 'company', 'limit', { company: 'company_1' }),
    ann.atMostOnce.claim(thing, 'hold'),
  ]);
  expect(claim).toMatchObject({ status: 'fulfilled', value: { is: 'go' } });
});

test('a requeued row is indexed as queued although the causes of another portfolio in the batch are damaged', async () => {
  const { ledger, bad, good } = await openDamagedCauses('refused');
  const { rows, connection, keys } = ledger;
  const [, again] = await Promise.allSettled([rows.requeue(bad, 'refused'), rows.requeue(good, 'refused')]);
  expect.soft(again).toMatchObject({ status: 'fulfilled', value: true });
  expect.soft(await connection.hget(keys.row('good', good.key), 'state')).toBe('queued');
  expect.soft(await connection.zrange(keys.rowsInState('good', 'queued'), '0', '-1')).toEqual([good.key]);
  expect(await rows.requeue(good, 'refused')).toBe(false);
  expect((await ledger.portfolios.read('good')).states).toMatchObject({ queued: 1, refused: 0 });
});
