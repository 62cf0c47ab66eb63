import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import { callsOf } from '../../../jobs/rows/walk-rows.ts';
import type { RowId } from '../../../src/ledger/schema/schema.ts';
import { openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openWorkplace>>;

async function approveAll({ context }: Place) {
  for (const { id, digest } of await context.approvals.waiting()) {
    expect(await context.approvals.grant({ id, digest, by: 'bob' })).toBe('granted');
    const approval = await context.approvals.read(id);
    if (approval) await carryOutAnswered(approval, context);
  }
}

/**
 * Line 2 has the documents a and b, line 3 has b, and line 4 has a. All are held, because the calls of a and b are in
 * doubt. `known` returns what is known of the two documents.
 */
async function openHeld() {
  const place = await openWorkplace({ env: { APPROVE_ALWAYS: 'on' } });
  const { context, dir } = place;
  await mkdir(join(dir, 'documents'));
  for (const name of ['a', 'b']) {
    await writeFile(join(dir, 'documents', `${name}.pdf`), `%PDF-1.4\n% ${name}\n%%EOF\n`);
  }
  const lines = ['One AG,1,a.pdf|b.pdf', 'Two AG,2,b.pdf', 'Six AG,3,a.pdf'];
  await place.import(['name,requested_limit,supporting_documents', ...lines], { by: 'alice' });
  await approveAll(place);
  const { rows, ledger, keys } = context;
  const [first] = (await rows.inState('q4', 'queued', { count: 1 })).map(({ row }) => row) as [RowId];
  for (const { row } of await rows.inState('q4', 'queued', { count: 3 })) {
    await rows.begin(row, 'company');
    await rows.advance(row, 'company', 'documents', { company: 'company_1' });
    const problem = { step: 'documents' as const, message: 'nobody knows' };
    await rows.advance(row, 'documents', 'held', { problem });
  }
  const [result] = await rows.read([first]);
  const calls = result ? callsOf({ row: first, result }) : [];
  for (const { kind, key } of calls) {
    await ledger.hset(keys.call(kind, key), { state: 'unknown', row: `q4/${first.key}`, lostAt: 1, open: 1 });
  }
  const known = () =>
    Promise.all(calls.map(async (call) => (await context.calls.isUnknown(call)) || (await context.calls.madeId(call))));
  return { ...place, known };
}

// Promise: yes-covers-what-was-seen
test.each([
  [2, 4],
  [4, 2],
])('an answer for one document does not apply to another: lines %i and %i', async (...lines) => {
  const place = await openHeld();
  for (const line of lines) {
    await resolveCalls({ portfolio: 'q4', line, made: 'document_a', by: 'alice' }, place.context);
  }
  await approveAll(place);
  // Nobody has answered for b.
  expect(await place.known()).toEqual(['document_a', true]);
});
