import { expect, test } from 'vitest';
import { freeHeld, makeFreeing } from '../../../jobs/operators/free-held.ts';
import { resolveCalls } from '../../../jobs/operators/resolve-calls.ts';
import type { Sent } from '../../../src/call-kind.ts';
import { openService } from '../../../src/open-service.ts';
import { callThrough } from '../../support/call-through.ts';
import { foundBy, openWorkplace } from '../../support/workplace.ts';

/**
 * Three rows of one buyer are held for its company call. The sending process has no heartbeat, and its answer is still
 * to come.
 */
async function openLate() {
  const place = await openWorkplace();
  await place.import([
    'name,country_code,request_reference,requested_limit',
    ...[1, 2, 3].map((n) => `One AG,DE,R${n},${n}00`),
  ]);
  const { context } = place;
  const [first] = await context.rows.inState('q4', 'queued', { count: 1 });
  if (!first) throw new Error('no row waits');
  const taken = await context.rows.begin(first.row, 'company');
  if (!taken) throw new Error('the row is gone');
  // This process sends the company but no heartbeat, so the others take it for vanished.
  const { promise, resolve: answer } = Promise.withResolvers<Sent>();
  const buyer = taken.request.buyer;
  const company = { kind: 'company', key: buyer, row: first.row, revision: taken.revision, buyer } as const;
  const sent = callThrough(context.atMostOnce, company, { onUnknown: 'hold', send: () => promise });
  await expect.poll(() => context.ledger.hget(context.keys.call('company', buyer), 'state')).toBe('claimed');
  await place.work();
  expect((await place.settled()).states.held).toBe(3);
  return { ...place, sent, answer, company };
}

/**
 * The company call was refused late. Its own row is refused if it continues first. If another row is faster, that row
 * sends the company again, and all three rows are done.
 */
async function expectOneCompany({ settled, standIn }: Awaited<ReturnType<typeof openLate>>) {
  const { done, refused } = (await settled()).states;
  expect([done, refused], `${done} done, ${refused} refused`).toEqual(refused === 0 ? [3, 0] : [2, 1]);
  expect(standIn.counts().made).toMatchObject({ company: 1, limit: done });
}

// Promise: late-answer-believed
test('rows held for a call are released when its answer arrives late', async () => {
  const place = await openLate();
  place.answer({ is: 'made', id: await companyAt(place), record: {} });
  expect(await place.sent).toMatchObject({ is: 'made', wasUnknown: true });
  expect(await freeHeld(place.context)).toHaveLength(3);
  expect((await place.settled()).states.done).toBe(3);
});

// Promise: late-answer-believed
test('rows held for a call are released when it is refused late, and only one further company call is made', async () => {
  const place = await openLate();
  place.answer({ is: 'refused', status: 422, body: 'no' });
  expect(await place.sent).toMatchObject({ is: 'refused', wasUnknown: true });
  expect(await freeHeld(place.context)).toHaveLength(3);
  await expectOneCompany(place);
});

test('the nightly check releases held rows if the process that got the late answer died', async () => {
  const place = await openLate();
  place.answer({ is: 'refused', status: 422, body: 'no' });
  await place.sent;
  expect(await foundBy(place.context, { lookAgainMs: 0 })).toMatchObject([
    { finding: 'rows were held though it is known what became of their call; they go on', rows: 3 },
  ]);
  await expectOneCompany(place);
});

// Promise: forgotten-call-left-to-people
test('a row whose call is missing in the ledger stays held until a person answers', async () => {
  const place = await openLate();
  const { context, company } = place;
  await context.ledger.del(context.keys.call('company', company.key));
  expect(await freeHeld(context)).toEqual([]);
  expect(await resolveCalls({ portfolio: 'q4', line: 2 }, context)).toMatchObject({ calls: 1, rows: 3 });
  expect((await place.settled()).states.done).toBe(3);
});

test('a late answer examines only the rows that may wait for it', async () => {
  const place = await openLate();
  const { context, company } = place;
  const looked: string[] = [];
  const calls: typeof context.calls = {
    ...context.calls,
    isUnknown: async (call) => {
      looked.push(`${call.kind} ${call.key}`);
      return context.calls.isUnknown(call);
    },
  };
  const free = makeFreeing({ ...context, calls });
  await free({ ...company, buyer: 'another' });
  expect(looked).toEqual([]);
  await free(company);
  expect(looked).toEqual(Array(3).fill(`company ${company.key}`));
  // Any row may contain the document. All held rows are examined once for simultaneous answers.
  looked.length = 0;
  await Promise.all([1, 2, 3, 4, 5].map(() => free({ kind: 'document', key: 'd', buyer: 'another' })));
  expect(looked).toHaveLength(3);
});

/** A company at the stand-in, as the delayed call would have made it. */
async function companyAt({ context, standIn }: Awaited<ReturnType<typeof openWorkplace>>): Promise<string> {
  const { client } = openService(context, standIn.url());
  const answer = await client.createCompany({ name: 'One AG' }, { idempotencyKey: 'k', onTokenCall: () => {} });
  await client.close();
  return answer.is === 'made' ? answer.id : '';
}
