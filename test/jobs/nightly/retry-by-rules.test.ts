import { expect, test } from 'vitest';
import { answerApproval, carryOutAnswered } from '../../../jobs/approvals/answer-approval.ts';
import { archivePortfolio } from '../../../jobs/archive/archive-portfolio.ts';
import { restorePortfolio } from '../../../jobs/archive/restore-portfolio.ts';
import { retryByRules } from '../../../jobs/nightly/retry-by-rules.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { BOB } from '../../support/approved-portfolio.ts';
import { makeMortal } from '../../support/mortal.ts';
import { DAY_MS, NIGHT_MS, nightAt, openRefused } from '../../support/retried-rows.ts';
import { buyerLines, openWorkplace } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openRefused>>;

// Promise: once-a-night-by-rule
test('rules retry refused rows once a night until their nights are used up, and leave held rows alone', async () => {
  const { standIn, context, ...place } = await openWorkplace({
    faults: {
      rules: [
        { on: 'limit', match: 'HRB 1', fault: 'status', status: 422, body: 'closed for the night', times: 2 },
        { on: 'limit', match: 'HRB 2', fault: 'status', status: 422, body: 'closed for the night' },
        { on: 'limit', match: 'HRB 3', fault: 'reset', times: 1 },
      ],
    },
  });
  await place.import(buyerLines(4));
  await place.work();
  expect((await place.settled()).states).toMatchObject({ done: 1, refused: 2, held: 1 });
  const { id } = await context.retryRules.add({ words: 'CLOSED', step: 'limit', nights: 2, by: 'olivia' });
  const told: string[] = [];
  for (const day of [0, 1, 2]) {
    told.push((await retryByRules(nightAt(NIGHT_MS + day * DAY_MS), context)).words);
    await place.settled();
  }
  expect(told).toEqual([
    '2 rows go again.',
    '2 rows go again.',
    '1 row was sent on all nights of its rule, and stays rejected.',
  ]);
  expect((await place.report()).states).toMatchObject({ done: 2, refused: 1, held: 1 });
  // The calls are four first sends, two retries each night for two nights, and nothing else.
  expect((await place.report()).calls).toMatchObject({ limit: 8 });
  expect(standIn.counts().made.limit).toBe(2);
  const [refused] = (await context.rows.inState('q4', 'refused', { count: 1 })).map(({ row }) => row);
  const entries = refused ? await context.stories.entries(refused) : [];
  expect(entries.filter(({ is }) => is === 'retried')).toMatchObject([
    { by: 'olivia', rule: id, night: 1, of: 2 },
    { by: 'olivia', rule: id, night: 2, of: 2 },
  ]);
});

// Promise: rules-do-not-add-up
test('a row is retried once a night under several rules and runs, for the longest of their nights', async () => {
  const place = await openRefused(2);
  const [row] = await place.refuseAll();
  const [first, second] = [await place.rule({ nights: 2 }), await place.rule({ nights: 3, step: 'company' })];
  const runs: string[] = [];
  for (const day of [0, 0.4, 1, 2, 3]) {
    runs.push((await place.night(day)).words);
    await place.refuseAll();
  }
  const none = 'By the rules, no rejected row is due to be sent again.';
  const sent = '2 rows go again.';
  expect(runs).toEqual([sent, none, sent, sent, '2 rows were sent on all nights of their rule, and stay rejected.']);
  expect(row && (await place.nightsOf(row))).toBe(3);
  expect(await place.last(second.id)).toMatchObject({ sent: 0, usedUp: 2 });
  expect(await place.last(first.id)).toMatchObject({ sent: 0, usedUp: 0 });
});

// Promise: mended-row-starts-anew
test('a row with changed content starts anew, and an unchanged line does not', async () => {
  const place = await openRefused(2);
  await place.refuseAll();
  await place.rule({ nights: 1 });
  await place.night(0);
  await place.refuseAll();
  const [header = '', one = '', two = ''] = buyerLines(2);
  await place.import([header, one.replace('Buyer 1 GmbH', 'Buyer 1 Gmbh'), two]);
  await place.refuseAll();
  expect((await place.night(1)).words).toBe(
    '1 row goes again. 1 row was sent on all nights of its rule, and stays rejected.',
  );
});

// Promises: rules-leave-paused-alone, refused-stays-without-a-rule
test.each<[left: string, leave: (place: Place) => Promise<unknown>, words: RegExp]>([
  [
    'a paused portfolio',
    ({ context }) => context.portfolios.pause('q4', 'three refused alike'),
    /^1 portfolio with rows to send is paused, so these rows were not sent\.$/,
  ],
  ['a cancelled portfolio', ({ context }) => cancelRows({ portfolio: 'q4' }, context), /^By the rules, no/],
  ['a portfolio whose rules were removed', ({ context }) => removeRules(context.retryRules), /^No rule says/],
])('%s is not retried by rules', async (_left, leave, words) => {
  const place = await openRefused(1, { APPROVE_ALWAYS: 'on' });
  await approveAll(place);
  await place.refuseAll();
  await place.rule();
  await leave(place);
  expect((await place.night(0)).words).toMatch(words);
  expect(await place.states()).toMatchObject({ refused: 1, queued: 0, awaiting: 0 });
  // Only the approval of the import exists. No retry was requested.
  expect((await place.context.approvals.of('q4')).map(({ kind }) => kind)).toEqual(['import']);
});

// Promise: rules-leave-restored-alone
test('rules skip a restored portfolio until a rule names it', async () => {
  const place = await openRefused(3);
  const { context } = place;
  await place.refuseAll();
  await place.rule();
  const signal = new AbortController().signal;
  await archivePortfolio(context, 'q4', { by: 'alice', signal });
  await restorePortfolio(context, 'q4', { signal });
  const left = /^1 portfolio with rows to send was restored, so these rows were not sent. To send them, make a rule/;
  expect((await place.night(0)).words).toMatch(left);
  expect(await place.states()).toMatchObject({ refused: 3, queued: 0 });
  // Rows that a person retries are treated like others again.
  const [row] = await place.all('refused');
  if (!row) throw new Error('nothing is refused');
  await context.rows.requeue(row, 'refused', true);
  await place.refuseAll();
  expect((await place.night(1)).words).toMatch(/^1 row goes again\. 1 portfolio /);
  await place.refuseAll();
  const { id } = await place.rule({ portfolio: 'q4', nights: 1 });
  expect((await place.night(2)).words).toBe('3 rows go again.');
  await place.refuseAll();
  await context.retryRules.remove(id);
  expect((await place.night(3)).words).toBe('3 rows go again.');
  await place.refuseAll();
  // A rule older than the latest restore does not apply to it.
  await place.rule({ portfolio: 'q4', nights: 30 });
  await archivePortfolio(context, 'q4', { by: 'alice', signal });
  await restorePortfolio(context, 'q4', { signal });
  expect((await place.night(4)).words).toMatch(left);
});

// Promise: rules-leave-restored-alone
test.each([
  ['before its rows go', 'requeue'],
  ['before its rows wait for approval', 'awaitRow'],
])('rules skip a portfolio that is archived and restored during the night, %s', async (_when, name) => {
  const place = await openRefused(1, name === 'awaitRow' ? { APPROVE_ALWAYS: 'on' } : {});
  const { context } = place;
  await approveAll(place);
  await place.refuseAll();
  await place.rule();
  const behind = <T extends object>(of: T): T =>
    new Proxy(of, {
      get: (target, key) => {
        const found = Reflect.get(target, key) as (...args: unknown[]) => unknown;
        if (key !== name) return found;
        return async (...args: unknown[]) => {
          const signal = new AbortController().signal;
          await archivePortfolio(context, 'q4', { by: 'alice', signal });
          await restorePortfolio(context, 'q4', { signal });
          return found(...args);
        };
      },
    });
  await place.night(0, { rows: behind(context.rows), approvals: behind(context.approvals) });
  expect(await place.states()).toMatchObject({ refused: 1, queued: 0, awaiting: 0 });
});

// Promise: rule-maker-cannot-approve
test("retries above the approval limit wait for someone other than the rule's author, and a decline is final", async () => {
  const place = await openRefused(3, { APPROVE_ABOVE: '2500' });
  await approveAll(place);
  const [row] = await place.refuseAll();
  await place.rule({ by: 'bob', nights: 5 });
  const words = "3 rows wait for another person's approval to go again.";
  expect(await place.night(0)).toEqual({ is: 'well', words });
  const [asked] = await place.context.approvals.waiting();
  expect(asked).toMatchObject({ kind: 'retry', authors: ['bob'], rows: 3, sum: '3007.50' });
  if (!asked || !row) throw new Error('nothing waits');
  const said = { id: asked.id, digest: asked.digest, words: 'no', answer: 'decline' } as const;
  expect(await answerApproval({ ...said, person: BOB }, place.context)).toEqual({ is: 'own' });
  const declined = await answerApproval({ ...said, person: { by: 'carol', roles: ['approver'] } }, place.context);
  if (declined.is !== 'done') throw new Error(declined.is);
  await carryOutAnswered(declined.approval, place.context);
  expect((await place.night(1)).words).toMatch(/^By the rules, no/);
  expect(await place.nightsOf(row)).toBe(1);
});

// Promise: killed-night-goes-on
test.each<[name: string, settings: Record<string, string>]>([
  ['rows without approval', {}],
  ['rows that wait for approval', { APPROVE_ALWAYS: 'on' }],
])('in a night killed at any step, %s are retried once and counted once', async (_name, settings) => {
  const place = await openRefused(3, settings);
  await approveAll(place);
  await place.refuseAll();
  const { id } = await place.rule({ nights: 30, by: 'olivia' });
  const { context } = place;
  for (let moment = 1; ; moment += 1) {
    const { mortal, done, isDead } = makeMortal(moment);
    await place
      .night(moment, {
        rows: mortal('rows', context.rows, ['page', 'requeue']),
        approvals: mortal('approvals', context.approvals, ['askFor', 'addAuthors', 'awaitRow', 'close', 'read']),
        retryRules: mortal('rules', context.retryRules, ['known', 'asks', 'noteAsks', 'noteUsedUp']),
        queues: mortal('queues', context.queues, ['forget', 'add']),
        audit: mortal('audit', context.audit, ['note']),
      })
      .catch(() => {});
    const { words } = await place.night(moment);
    const where = `killed behind ${done.at(-1) ?? 'nothing'}, step ${moment}`;
    const waits = settings.APPROVE_ALWAYS === 'on';
    expect(await place.last(id), where).toMatchObject(waits ? { sent: 0, waiting: 3 } : { sent: 3, waiting: 0 });
    expect(words, where).toMatch(waits ? /^3 rows wait/ : /^3 rows go again/);
    expect((await context.approvals.waiting()).length, where).toBe(waits ? 1 : 0);
    await approveAll(place);
    const went = await place.all('queued');
    expect(went.length, where).toBe(3);
    for (const row of went) expect(await place.nightsOf(row), where).toBe(moment);
    expect(await context.retryRules.asks(), where).toEqual([]);
    await place.refuseAll();
    if (!isDead()) break;
    // Each step of a night is a possible moment of death.
    expect(moment).toBeLessThan(30);
  }
});

test('a run that is stopped ends between two pages and throws the stop', async () => {
  const place = await openRefused(1);
  await place.refuseAll();
  await place.rule();
  await expect(place.night(0, {}, AbortSignal.abort(new Error('stops')))).rejects.toThrow('stops');
  expect((await place.states()).refused).toBe(1);
});

async function removeRules({ known, remove }: Place['context']['retryRules']): Promise<void> {
  for (const { rule } of await known()) await remove(rule.id);
}

/** Approves everything that waits, and releases it. */
async function approveAll({ context }: Place): Promise<void> {
  for (const { id, digest } of await context.approvals.waiting()) {
    const person = { by: 'carol', roles: ['approver'] as const };
    const answered = await answerApproval({ answer: 'approve', words: '', id, digest, person }, context);
    if (answered.is !== 'done') throw new Error(`it is ${answered.is}`);
    await carryOutAnswered(answered.approval, context);
  }
}
