import { expect, test } from 'vitest';
import { freeHeld } from '../../../jobs/operators/free-held.ts';
import { openService } from '../../../src/open-service.ts';
import type { Sent } from '../../../src/outcome.ts';
import { callThrough } from '../../support/call-through.ts';
import { openWorkplace } from '../../support/workplace.ts';

test('rows that are held for a call go on when its answer comes late after all', async () => {
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
  // This process sends the company and gives no sign of life: it stands still, and the others take it for vanished.
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const buyer = taken.request.buyer;
  const company = { kind: 'company', key: buyer, row: first.row, revision: taken.revision, buyer } as const;
  const sent = callThrough(context.atMostOnce, company, { onUnknown: 'hold', send: () => promise });
  await expect.poll(() => context.ledger.hget(context.keys.call('company', buyer), 'state')).toBe('claimed');
  await place.work();
  expect((await place.settled()).states.held).toBe(3);

  resolve({ is: 'made', id: await companyAt(place), record: {} });
  expect(await sent).toMatchObject({ is: 'made', wasUnknown: true });
  expect(await freeHeld(context)).toBe(3);
  expect((await place.settled()).states.done).toBe(3);
});

/** A company that the stand-in knows, as the call that stood still would have made it. */
async function companyAt({ context, standIn }: Awaited<ReturnType<typeof openWorkplace>>): Promise<string> {
  const { client } = openService(context, standIn.url());
  const answer = await client.createCompany({ name: 'One AG' }, { idempotencyKey: 'k', onTokenCall: () => {} });
  await client.close();
  return answer.is === 'made' ? answer.id : '';
}
