import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askFirst, justThese, RESEND } from '../../../../jobs/operators/ask-first.ts';
import { cancelRows } from '../../../../jobs/operators/cancel-rows.ts';
import { retryRow } from '../../../../jobs/operators/retry-row.ts';
import { openContextOf, openDesk } from '../../../support/desk.ts';
import { financeItems } from '../../../support/ledger.ts';
import { UNDER_REVIEW } from '../../../support/under-review.ts';
import { buyerLines, openWorkplace } from '../../../support/workplace.ts';

// Promises: awaiting-resend-named, buyers-without-limit-once
test('rows that wait for approval to be retried are listed, and their buyers as without a limit', async () => {
  const { context, ...place } = await openWorkplace();
  const deps = { ...context, approvalPolicy: async () => ({ always: true, above: undefined }) };
  await place.import(buyerLines(3));
  const rows = await context.rows.inState('q4', 'queued', { count: 3 });
  const [held, refused, givenUp] = rows.map(({ row }) => row);
  if (!held || !refused || !givenUp) throw new Error('a row is missing');
  await context.rows.advance(held, 'queued', 'held', {});
  await context.rows.advance(refused, 'queued', 'refused', {});
  await cancelRows({ portfolio: 'q4', by: 'fin' }, context);
  await retryRow(refused, 'fin', deps);
  await retryRow(givenUp, 'fin', deps, 'cancelled');
  const [result] = await context.rows.read([held]);
  if (!result) throw new Error('the row is gone');
  const asking = { portfolio: 'q4', kind: 'answer', by: 'fin' } as const;
  await askFirst(asking, () => justThese([{ found: { row: held, result }, said: RESEND }]), deps);

  // The check also lists rows of a file from an earlier day.
  const items = await financeItems(context, { atMs: Date.now() + 40 * 86_400_000 });
  const again = "it waits for another person's approval to be sent again";
  const said = "it waits for another person's approval of what was said of its call";
  const without = 'its latest request waits for approval to be sent again';
  expect(items.map(({ check, name, says }) => [check, name, says]).sort()).toEqual([
    ['no limit', 'Buyer 2 GmbH', without],
    ['no limit', 'Buyer 3 GmbH', without],
    ['not requested', 'Buyer 1 GmbH', said],
    ['not requested', 'Buyer 2 GmbH', again],
    ['not requested', 'Buyer 3 GmbH', again],
  ]);
  // Two approvals wait in the portfolio, so each command names its approval.
  const waiting = (await context.approvals.waiting()).map(({ id }) => `approve q4 --as USER --approval ${id}`);
  expect(waiting.length).toBeGreaterThan(1);
  expect(new Set(items.map((item) => item.command))).toEqual(new Set(waiting));
});

const HEADER = 'name,country_code,company_registration_number,requested_limit';

/** A portfolio with one finished row and one invalid line. */
async function openDone() {
  const place = await openWorkplace();
  await place.import([HEADER, 'Alpha GmbH,DE,HRB 1,1000', 'Beta GmbH,DE,HRB 2,much']);
  await place.work();
  await place.settled();
  const named = async () =>
    (await financeItems(place.context)).filter(({ check }) => check === 'not requested').map(({ name }) => name);
  return { ...place, named };
}

// Promise: empty-cancel-hides-no-line
test('a cancel that changes no row leaves unrequested lines in the report', async () => {
  const { context, named } = await openDone();
  expect(await named()).toEqual(['Beta GmbH']);
  expect(await cancelRows({ portfolio: 'q4', by: 'test' }, context)).toMatchObject({ cancelled: 0 });
  expect(await named()).toEqual(['Beta GmbH']);
});

// Promise: empty-cancel-hides-no-line
test('a cancel removes earlier unrequested lines from the report only if it cancelled rows', async () => {
  const place = await openDone();
  const { context, named } = place;
  await context.portfolios.pause('q4', 'by somebody');
  await place.import([HEADER, 'Gamma GmbH,DE,HRB 3,3000', 'Delta GmbH,DE,HRB 4,much']);
  expect((await named()).sort()).toEqual(['Beta GmbH', 'Delta GmbH', 'Gamma GmbH']);
  expect(await cancelRows({ portfolio: 'q4', by: 'test' }, context)).toMatchObject({ cancelled: 1 });
  expect(await named()).toEqual([]);
  await place.import([HEADER, 'Eta GmbH,DE,HRB 5,much']);
  expect(await cancelRows({ portfolio: 'q4', by: 'test' }, context)).toMatchObject({ cancelled: 0 });
  expect(await named()).toEqual(['Eta GmbH']);
});

const DAY_MS = 86_400_000;

test('a decision with another amount does not restart the age of a review in the nightly report', async () => {
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
