import { expect, test } from 'vitest';
import { openApprovals } from '../../support/awaiting-ledger.ts';

test('the comparison corrects an approval from its rows, and an answer to its earlier content is refused', async () => {
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

test('an answered approval that is missing in every list is found by the comparison and can be carried out', async () => {
  const { imported, connection, keys, approvals, grant } = openApprovals();
  const waiting = await imported('a.csv', { r1: '1', r2: '2' });
  await grant(waiting);
  await connection.del(keys.approvalsAnswered);
  expect(await approvals.compare('q4')).toBe(1);
  expect(await approvals.answered()).toEqual([{ portfolio: 'q4', id: waiting.id }]);
});

test('an approval that was begun an hour ago and has no rows becomes void, and a recent one stays open', async () => {
  const { connection, keys, approvals } = openApprovals();
  const [left, lately] = [await approvals.askFor(RETRY), await approvals.askFor(RETRY)];
  await connection.hset(keys.approval(left), 'asked', Date.now() - 3_600_000);
  expect(await approvals.compare('q4')).toBe(0);
  expect((await approvals.open('q4')).map(({ id }) => id)).toEqual([lately]);
  expect(await approvals.read(left)).toMatchObject({ standing: 'void', rows: 0 });
});

const RETRY = { portfolio: 'q4', kind: 'retry', by: 'olivia' } as const;
