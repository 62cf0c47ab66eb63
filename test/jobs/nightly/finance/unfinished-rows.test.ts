import { expect, test } from 'vitest';
import { askFirst, justThese, RESEND } from '../../../../jobs/operators/ask-first.ts';
import { cancelRows } from '../../../../jobs/operators/cancel-rows.ts';
import { retryRow } from '../../../../jobs/operators/retry-row.ts';
import { financeItems } from '../../../support/ledger.ts';
import { buyerLines, openWorkplace } from '../../../support/workplace.ts';

// Promises: awaiting-resend-named, buyers-without-limit-once
test('a row that waits for approval to be sent again is told of, and its buyer as one without a limit', async () => {
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

  // Also of rows that came in with a file of an earlier day.
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
  // Two kinds of approval wait, so the advice names the one that it means.
  const waiting = (await context.approvals.waiting()).map(({ id }) => `approve q4 --as USER --approval ${id}`);
  expect(waiting.length).toBeGreaterThan(1);
  expect(new Set(items.map((item) => item.command))).toEqual(new Set(waiting));
});
