import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openContextOf } from '../../../support/context-of.ts';
import { openDesk } from '../../../support/desk.ts';
import { UNDER_REVIEW } from '../../../support/under-review.ts';

const DAY_MS = 86_400_000;

test('a limit that was answered 40 days ago and is still under review stays in the nightly report when a decision says another amount', async () => {
  const desk = await openDesk(1, { rules: [UNDER_REVIEW] }, { REVIEW_DAYS: '14' });
  await desk.limitline('run', 'q4.csv', '--no-results');
  await desk.limitline('statuses', 'in_progress', '--means', 'review');
  const context = await openContextOf(desk);
  const [found] = await context.rows.inState('q4', 'done', { count: 1 });
  if (!found) throw new Error('no row');
  const [result] = await context.rows.read([found.row]);
  const updated = Date.now() - 40 * DAY_MS;
  await context.ledger.hset(context.keys.row('q4', found.row.key), 'updated', String(updated));
  await context.ledger.zadd(context.keys.changed('q4'), updated, found.row.key);
  const longOnes = async () => {
    const { findings } = await desk.json('reconcile');
    return findings.filter(({ check }: { check: string }) => check === 'long review');
  };
  expect(await longOnes()).toMatchObject([{ rows: 1 }]);
  await writeFile(
    join(desk.cwd, 'later.csv'),
    `buyer_limit_id,status,total_limit,available_limit\n${result?.limitId},in_progress,5,5\n`,
  );
  expect((await desk.limitline('decisions', 'later.csv')).stdout).toContain('1 decision taken');
  expect(await longOnes()).toMatchObject([{ rows: 1 }]);
});
