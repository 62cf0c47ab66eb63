import { expect, test } from 'vitest';
import { openApprovals } from '../../support/awaiting-ledger.ts';

test('what an approval binds is compared with its rows and mended, and an answer to what it said before is not heard', async () => {
  const { imported, connection, keys, approvals, portfolios, grant } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1.5', r2: '9'.repeat(20), r3: '0.005' });
  const right = await waiting.look();
  expect(await approvals.compare('q4')).toBe(0);
  await connection.hset(keys.approval(waiting.id), { rows: 7, 'sum:rows:0': 5, 'sum:rows:3': 1 });
  await connection.zadd(keys.approvalRows('q4', waiting.id), 9, 'stray');
  await connection.zrem(keys.approvals, `q4/${waiting.id}`);
  await connection.zrem(keys.approvalRows('q4', waiting.id), 'r2');
  const wrong = await waiting.look();
  expect(await portfolios.compare(['q4'])).toEqual([{ portfolio: 'q4', is: 'state', rows: 1 }]);
  expect(await approvals.compare('q4')).toBe(1);
  expect(await waiting.look()).toEqual(right);
  expect(await approvals.compare('q4')).toBe(0);
  expect((await approvals.waiting()).map(({ id }) => id)).toEqual([waiting.id]);
  expect(await approvals.grant({ id: waiting.id, digest: wrong.digest, by: 'bob' })).toBe('changed');
  expect(await grant(waiting)).toBe('granted');
});

test('what was answered and stands in no list is carried out all the same', async () => {
  const { imported, connection, keys, approvals, grant } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1', r2: '2' });
  await grant(waiting);
  await connection.del(keys.approvalsAnswered);
  expect(await approvals.compare('q4')).toBe(1);
  expect(await approvals.answered()).toEqual([{ portfolio: 'q4', id: waiting.id }]);
});

test('what somebody began to ask for and was killed at before a row waited is void, once nobody goes on with it', async () => {
  const { connection, keys, approvals } = openApprovals();
  const [left, lately] = [await approvals.askFor(RETRY), await approvals.askFor(RETRY)];
  await connection.hset(keys.approval(left), 'asked', Date.now() - 3_600_000);
  expect(await approvals.compare('q4')).toBe(0);
  expect((await approvals.open('q4')).map(({ id }) => id)).toEqual([lately]);
  expect(await approvals.read(left)).toMatchObject({ standing: 'void', rows: 0 });
});

const RETRY = { portfolio: 'q4', kind: 'retry', by: 'olivia' } as const;
