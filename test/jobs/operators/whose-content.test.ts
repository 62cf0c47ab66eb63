import { expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { retryRow } from '../../../jobs/operators/retry-row.ts';
import type { Person } from '../../../src/people/person.ts';
import { BOB, openPortfolio, retryRows } from '../../support/approved-portfolio.ts';

/** An approver who also imported the file. */
const ALICE: Person = { by: 'alice', roles: ['finance', 'approver'] };

type Place = Awaited<ReturnType<typeof openPortfolio>>;

const decline = async ({ context, say, waiting }: Place): Promise<void> => {
  const { id, digest } = await waiting();
  const answered = await say({ id, digest, answer: 'decline', words: 'no' });
  if (answered.is === 'done') await carryOutAnswered(answered.approval, context);
};
const giveUp = async ({ context }: Place): Promise<void> => {
  await cancelRows({ portfolio: 'q4', by: 'olivia' }, context);
};

test.each([
  ['declined', decline],
  ['cancelled while they waited', giveUp],
])('rows that were %s cannot be approved by their importer, even if another person retries them', async (_, end) => {
  const place = await openPortfolio(3);
  const { context, say, waiting } = place;
  await end(place);
  // The retry is declined twice, and the importer stays an author.
  for (const by of ['olivia', 'paul']) {
    expect((await retryRows({ portfolio: 'q4', state: 'cancelled', by }, context)).waits).toMatchObject({ rows: 3 });
    const { id, digest, authors } = await waiting();
    expect(authors.toSorted()).toEqual(expect.arrayContaining(['alice', by]));
    expect((await say({ id, digest, person: ALICE })).is).toBe('own');
    await decline(place);
  }
  await retryRows({ portfolio: 'q4', state: 'cancelled', by: 'olivia' }, context);
  await place.approve(BOB);
  expect(await place.states()).toMatchObject({ queued: 3 });
});

test('rows approved once can be approved again by anybody but the person who retries them', async () => {
  const place = await openPortfolio(1);
  await place.approve(BOB);
  const [row] = await place.all('queued');
  if (!row) throw new Error('no row');
  await place.refuse(row);
  expect(await retryRow(row, 'olivia', place.context)).toMatchObject({ is: 'waits' });
  const { id, digest, authors } = await place.waiting();
  expect(authors).toEqual(['olivia']);
  expect((await place.say({ id, digest, person: ALICE })).is).toBe('done');
});
