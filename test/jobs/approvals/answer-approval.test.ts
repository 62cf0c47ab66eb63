import { describe, expect, test } from 'vitest';
import { carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { STEP_JOBS } from '../../../jobs/rows/feed.ts';
import { ALICE, BOB, openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { ANYBODY } from '../../support/desk.ts';
import { buyerLines } from '../../support/workplace.ts';

describe('an approval', () => {
  // Promise: first-answer-counts
  test('releases the shown rows once, and the second approver is told who was first', async () => {
    const { waiting, say, approve, states } = await openPortfolio(3);
    expect(await states()).toMatchObject({ awaiting: 3, queued: 0 });
    const { id, digest } = await waiting();
    const carol = { by: 'carol', roles: ['approver'] } as const;
    const answers = await Promise.all([say({ id, digest }), say({ id, digest, person: carol })]);
    expect(answers.map(({ is }) => is).sort()).toEqual(['answered', 'done']);
    const [done] = answers.filter(({ is }) => is === 'done');
    expect(await say({ id, digest })).toMatchObject({
      is: 'answered',
      approval: { standing: 'granted', answered: done && 'approval' in done ? done.approval.answered : undefined },
    });
    expect(await say({ id, digest, answer: 'decline', words: 'too late' })).toMatchObject({ is: 'answered' });
    expect(await say({ id: 'q4', digest })).toEqual({ is: 'gone' });
    await expect(approve()).rejects.toThrow('nothing waits');
  });

  // Promise: names-are-one-person
  test.each([
    ['the importer', ALICE.by],
    ['the same person under another of their names', 'alice@example.com (sso 4f6d2a)'],
    ['the same person as a user of the system', 'command line (alice)'],
  ])('by %s is refused, whatever their roles', async (_whose, by) => {
    const { waiting, say, states } = await openPortfolio(1);
    const { id, digest } = await waiting();
    for (const roles of [['approver'], ['approver', 'admin'], ['finance', 'approver', 'operator', 'admin']] as const) {
      expect(await say({ id, digest, person: { by, roles } })).toEqual({ is: 'own' });
      expect(await say({ id, digest, person: { by, roles }, answer: 'decline', words: 'no' })).toEqual({ is: 'own' });
    }
    expect(await states()).toMatchObject({ awaiting: 1 });
  });

  // Promise: no-one-approves-their-own
  test.each([
    ['no longer an approver', { by: 'bob', roles: ['viewer', 'operator', 'admin', 'finance'] } as const, 'role'],
    ['not signed in', ANYBODY, 'nobody'],
  ])('by somebody who is %s is refused', async (_whose, person, is) => {
    const { waiting, say, states } = await openPortfolio(1);
    const { id, digest } = await waiting();
    expect(await say({ id, digest, person })).toEqual({ is });
    expect(await states()).toMatchObject({ awaiting: 1 });
  });

  // Promises: changed-rows-leave-approval, yes-to-old-does-nothing
  test('of an outdated view does nothing after another file changed a row', async () => {
    const place = await openPortfolio(3);
    const { id, digest } = await place.waiting();
    const [row] = await place.all('awaiting');
    if (!row) throw new Error('no row waits');
    // The same request has another street now.
    const [header = '', first = '', ...others] = buyerLines(3);
    await place.import([`${header},street`, `${first},Other Street 1`, ...others.map((line) => `${line},`)], {
      by: 'eve',
    });
    expect(await place.say({ id, digest })).toEqual({ is: 'changed' });
    const now = (await place.context.approvals.waiting()).map((one) => ({ rows: one.rows, authors: one.authors }));
    expect(now).toEqual([
      { rows: 2, authors: ['alice'] },
      { rows: 1, authors: ['eve'] },
    ]);
    // A new approval covers the remaining rows. The changed row waits for its own.
    const fresh = await place.context.approvals.read(id);
    expect(await place.say({ id, digest: fresh?.digest ?? '' })).toMatchObject({ is: 'done' });
    if (fresh) await carryOutAnswered({ ...fresh, standing: 'granted' }, place.context);
    expect(await place.states()).toMatchObject({ queued: 2, awaiting: 1 });
    expect(await place.claim(row)).toMatchObject({ is: 'awaiting' });
  });
});

describe('a decline', () => {
  // Promise: declined-needs-another-approval
  test('cancels the rows of an import with its words, and none is retried without another approval', async () => {
    const place = await openPortfolio(2, { APPROVE_ABOVE: '1500' });
    const { id, digest } = await place.waiting();
    const answered = await place.say({ id, digest, answer: 'decline', words: 'ask for less' });
    if (answered.is !== 'done') throw new Error(answered.is);
    await carryOutAnswered(answered.approval, place.context);
    expect(await place.states()).toMatchObject({ cancelled: 2, awaiting: 0 });
    const [row] = await place.all('cancelled');
    const [result] = row ? await place.context.rows.read([row]) : [];
    expect(result?.problem?.message).toContain('ask for less');
    // The rows are retried one at a time, each below the limit.
    for (const line of [2, 3]) {
      const retried = await retryRows({ portfolio: 'q4', state: 'cancelled', line, by: ALICE.by }, place.context);
      expect(retried).toMatchObject({ rows: 0, waits: { rows: 1 } });
    }
    expect(await place.states()).toMatchObject({ awaiting: 2, cancelled: 0, queued: 0 });
    if (row) expect(await place.claim(row)).toMatchObject({ is: 'awaiting' });
    expect((await place.context.approvals.waiting()).map(({ authors }) => authors)).toEqual([['alice'], ['alice']]);
    expect(BOB.roles).toContain('approver');
  });
});

// Promises: sent-as-said-last, unapproved-never-leaves
test('rows without approval are not sent, whatever the queues contain and whichever state the rows have', async () => {
  const { all, context, work, standIn, states } = await openPortfolio(3);
  const rows = await all('awaiting');
  const [first, second] = rows;
  if (!first || !second) throw new Error('no row waits');
  // There are jobs for waiting rows, and the state of one row was changed directly in Redis.
  await context.queues.add(rows.map((row) => ({ ...STEP_JOBS.company, data: row })));
  await context.queues.add([{ ...STEP_JOBS.limit, data: second }]);
  await context.ledger.hset(context.keys.row('q4', first.key), 'state', 'company');
  await work();
  await expect.poll(() => context.queues.areIdle()).toBe(true);
  expect(standIn.counts().requests).toMatchObject({ company: {}, limit: {} });
  expect(standIn.counts().made).toMatchObject({ company: 0, limit: 0 });
  expect((await states()).awaiting).toBeGreaterThanOrEqual(2);
});
