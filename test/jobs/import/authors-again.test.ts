import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { carryOutAllAnswered, whyNot } from '../../../jobs/approvals/answer-approval.ts';
import { importPortfolio } from '../../../jobs/import/import-portfolio.ts';
import { cancelRows } from '../../../jobs/operators/cancel-rows.ts';
import { actOnRows } from '../../../jobs/plans/act-on-rows.ts';
import { NO_APPROVAL } from '../../../src/ledger/schema/approval.ts';
import { ALICE, afterThisMs, openPortfolio, retryRows } from '../../support/approved-portfolio.ts';
import { buyerLines, importDepsOf } from '../../support/workplace.ts';

type Place = Awaited<ReturnType<typeof openPortfolio>>;

const mayAnswer = (authors: readonly string[], by: string) => whyNot({ authors }, { by, roles: ['approver'] });

async function decline({ waiting, say, context }: Place): Promise<void> {
  const { id, digest } = await waiting();
  await say({ id, digest, answer: 'decline', words: 'no' });
  await carryOutAllAnswered(context);
}

const WAYS: readonly [string, (place: Place) => Promise<unknown>][] = [
  ['declined', decline],
  ['given up while they waited', async ({ context }) => cancelRows({ portfolio: 'q4', by: ALICE.by }, context)],
];

// Promise: earlier-authors-stay
test.each(WAYS)(
  'who brought in rows that were %s may not approve them when a colleague imports them again',
  async (_way, end) => {
    const place = await openPortfolio(2);
    await end(place);
    const { approval } = await place.import(buyerLines(2), { by: 'carol' });
    expect(approval).toMatchObject({ standing: 'waiting', rows: 2 });
    const { authors } = await place.waiting();
    expect(['alice', 'carol', 'bob'].map((name) => mayAnswer(authors, name))).toEqual(['own', 'own', undefined]);
  },
);

// Promise: earlier-authors-stay
test.each([
  ['the same lines into another portfolio', 'q5', buyerLines(2)],
  ['lines with other words', 'q4', buyerLines(2).map((line) => line.replace(/Buyer (\d) GmbH/, 'Buyer $1 GmbH & Co'))],
])(
  'who brought in requests that were declined may not approve them when a colleague brings %s',
  async (_what, portfolio, lines) => {
    const place = await openPortfolio(2);
    await decline(place);
    await place.import(lines, { by: 'carol', portfolio });
    const { rows, authors } = await place.waiting();
    expect(rows).toBe(2);
    expect(['alice', 'carol', 'bob'].map((name) => mayAnswer(authors, name))).toEqual(['own', 'own', undefined]);
  },
);

test('who brought in rows that somebody approved is no author of what a colleague imports later', async () => {
  const place = await openPortfolio(2);
  await place.approve();
  await place.import(buyerLines(3), { by: 'carol' });
  expect((await place.waiting()).authors).toEqual(['carol']);
});

// What passes below the limits has no person's yes.
test.each([
  ['given up', 'imports'],
  ['given up', 'retries'],
  ['refused', 'imports'],
  ['refused', 'retries'],
] as const)(
  'who brought in rows that passed below the limits and were %s may not approve them when a colleague %s them',
  async (end, way) => {
    const place = await openPortfolio(2, { APPROVE_ABOVE: '3000' });
    const { context } = place;
    if (end === 'given up') await cancelRows({ portfolio: 'q4', by: ALICE.by }, context);
    else for (const row of await place.all('queued')) await place.refuse(row);
    context.approvalPolicy = async () => ({ ...NO_APPROVAL, always: true });
    if (way === 'imports') await place.import(buyerLines(2), { by: 'carol' });
    else await retryRows({ portfolio: 'q4', state: end === 'refused' ? end : 'cancelled', by: 'carol' }, context);
    const { rows, authors } = await place.waiting();
    expect(rows).toBe(2);
    expect(['alice', 'carol', 'bob'].map((name) => mayAnswer(authors, name))).toEqual(['own', 'own', undefined]);
  },
);

// A yes to the other rows of an approval is no yes to one that had left it.
test.each(['imports', 'retries'] as const)(
  'who brought in a row that was given up before the others were approved may not approve it when a colleague %s it',
  async (way) => {
    const place = await openPortfolio(2);
    const { context } = place;
    await afterThisMs(context);
    const giveUp = {
      portfolio: 'q4',
      action: 'cancel' as const,
      filter: { rows: [(await place.all('awaiting'))[0]?.key ?? ''] },
    };
    const how = { by: ALICE.by, dryRun: false, awaitMs: 0, signal: new AbortController().signal };
    await actOnRows(giveUp, how, context);
    expect(await place.states()).toMatchObject({ awaiting: 1, cancelled: 1 });
    await afterThisMs(context);
    await place.approve();
    if (way === 'imports') await place.import(buyerLines(2), { by: 'carol' });
    else await retryRows({ portfolio: 'q4', state: 'cancelled', by: 'carol' }, context);
    const { rows, authors } = await place.waiting();
    expect(rows).toBe(1);
    expect(['alice', 'carol', 'bob'].map((name) => mayAnswer(authors, name))).toEqual(['own', 'own', undefined]);
  },
);

// A row that is given back by a retry counts as changed at that time, which is after the yes to the other rows.
test.each([
  ['declined', 'imports'],
  ['declined', 'retries'],
  ['given up', 'imports'],
  ['given up', 'retries'],
] as const)(
  'who brought in or retried a row that nobody approved stays its author after its retry was %s, when a colleague %s it',
  async (end, way) => {
    const place = await openPortfolio(2);
    const { context } = place;
    const giveUp = async () => {
      await afterThisMs(context);
      const filter = { rows: [(await place.all('awaiting'))[0]?.key ?? ''] };
      const how = { by: ALICE.by, dryRun: false, awaitMs: 0, signal: new AbortController().signal };
      await actOnRows({ portfolio: 'q4', action: 'cancel', filter }, how, context);
      await afterThisMs(context);
    };
    await giveUp();
    await place.approve();
    await retryRows({ portfolio: 'q4', state: 'cancelled', by: 'dora' }, context);
    if (end === 'given up') await giveUp();
    else await decline(place);
    expect(await place.states()).toMatchObject({ queued: 1, cancelled: 1 });
    if (way === 'imports') await place.import(buyerLines(2), { by: 'carol' });
    else await retryRows({ portfolio: 'q4', state: 'cancelled', by: 'carol' }, context);
    const { authors } = await place.waiting();
    expect(['alice', 'dora', 'carol', 'bob'].map((name) => mayAnswer(authors, name))).toEqual([
      'own',
      'own',
      'own',
      undefined,
    ]);
  },
);

test('who began an import that was killed may not approve its rows when a colleague imports them by another file', async () => {
  const place = await openPortfolio(1);
  const { context, dir } = place;
  await place.approve();
  const path = join(dir, 'killed.csv');
  await writeFile(path, `${buyerLines(300).join('\n')}\n`);
  const stop = new AbortController();
  const killed = { ...importDepsOf(context), stopping: stop.signal, onBatch: () => stop.abort(new Error('killed')) };
  const payload = { portfolio: 'q4', path, reading: {}, replace: false, by: 'dora' };
  await expect(importPortfolio(payload, killed)).rejects.toThrow('is stopping');
  expect((await place.states()).awaiting).toBeGreaterThan(0);
  await place.import(buyerLines(301), { by: 'carol' });
  const { rows, authors } = await place.waiting();
  expect(rows).toBe(300);
  expect(['dora', 'carol', 'bob'].map((name) => mayAnswer(authors, name))).toEqual(['own', 'own', undefined]);
});
