import { expect, test } from 'vitest';
import { summaryTable } from '../../../scripts/report/summary-table.ts';
import { exportedText } from '../../support/exported.ts';
import { foundBy } from '../../support/found-by.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

// Promise: made-twice-is-shown
test('a limit that was made twice is in the report, in the errors file and among what reconcile finds', async () => {
  const place = await openWorkplace();
  await place.import(buyerLines(2));
  await place.work();
  await place.settled();
  const { context } = place;
  const [first] = await context.rows.inState('q4', 'done', { count: 1 });
  if (!first) throw new Error('no row is done');
  // What "resend" may lead to: the first send, believed lost, comes back with its own id.
  const thing = { kind: 'limit', key: first.row.key, row: first.row } as const;
  const { id } = await context.calls.settle(thing, 'late/1', { id: 'bl_late', record: {}, buyer: 'b' });

  const report = await place.report();
  expect(report).toMatchObject({ madeTwice: 1, states: { done: 2 } });
  expect(summaryTable(report, { supplier: undefined, paused: undefined, interrupted: false })).toContain(
    'MADE TWICE: 1',
  );
  const errors = await exportedText(context, { only: 'errors' });
  const lines = errors.trim().split('\r\n');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(`Made twice at the service: ${id} and bl_late`);
  expect(await foundBy(context)).toEqual([
    { portfolio: 'q4', finding: `a limit was made twice: ${id} and bl_late`, rows: 1 },
  ]);
});
