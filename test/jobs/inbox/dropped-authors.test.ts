import { chown } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { answerApproval, approversOf } from '../../../jobs/approvals/answer-approval.ts';
import { userNameOf } from '../../../jobs/inbox/bring-in.ts';
import { sayWaiting } from '../../../scripts/approval/approval-words.ts';
import { keepApprovalRule } from '../../../scripts/opening/keep-approval-rule.ts';
import { answerPart } from '../../../src/console/pages/approvals/answer-forms.ts';
import { approvalsPage } from '../../../src/console/pages/approvals/approvals-list.ts';
import { waitsFor } from '../../../src/console/pages/portfolio/waits-for.ts';
import { type Context, openContext } from '../../../src/context.ts';
import type { Approval } from '../../../src/ledger/schema/approval.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { openInbox } from '../../support/inbox.ts';
import { PASSWORD } from '../../support/people.ts';
import { buyerLines } from '../../support/workplace.ts';

const text = (lines: readonly string[]) => `${lines.join('\n')}\n`;
const ALWAYS = { APPROVE_ALWAYS: 'on' };

/** A dropped file that waits for another person's approval. */
async function openDropped(env: Record<string, string> = {}) {
  const place = await openInbox({ env: { ...ALWAYS, ...env } });
  await place.drop('q4.csv', text(buyerLines(2)));
  await place.takeIn();
  return place;
}

async function answerBy(by: string, context: Context) {
  const [waiting] = await context.approvals.waiting();
  const { id = '', digest = '' } = waiting ?? {};
  const person = { by, roles: ['approver' as const] };
  return (await answerApproval({ id, digest, answer: 'decline', words: 'no', person }, context)).is;
}

const { username } = userInfo();
const isRoot = process.getuid?.() === 0;

// Promise: owners-are-authors
test('the owner of a dropped file is its author, and cannot approve it under any of their names', async () => {
  const { context } = await openDropped();
  expect(await context.approvals.waiting()).toMatchObject([{ authors: [`drop folder (${username})`] }]);
  expect((await context.portfolios.read('q4')).file?.by).toBe(`drop folder (${username})`);
  const { entries } = await context.audit.read.page({ count: 9, walk: 99, filter: { what: 'file imported' } });
  expect(entries.find(({ is }) => is === 'done')?.facts).toMatchObject({
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(new Set(entries.map(({ by }) => by))).toEqual(new Set([`drop folder (${username})`]));
  expect(await answerBy(username, context)).toBe('own');
  expect(await answerBy(`${username}@example.com (sso 4f6d2a)`, context)).toBe('own');
  expect(await answerBy('somebody else', context)).toBe('done');
});

// Promise: owners-are-authors
test.skipIf(!isRoot)('the owners of its documents and of its supplier file are authors, too', async () => {
  const { drop, takeIn, inbox, context } = await openInbox({ env: ALWAYS });
  await drop('q4/report.pdf', '%PDF-1.4');
  await chown(join(inbox, 'q4/report.pdf'), 1_234_567, 0);
  const [header, line] = buyerLines(1);
  await drop('q4.csv', text([`${header},supporting_documents`, `${line},report.pdf`]));
  await chown(join(inbox, 'q4.csv'), 7_654_321, 0);
  await drop('q4.supplier.csv', 'name,country_code\nNordwind GmbH,DE\n');
  await chown(join(inbox, 'q4.supplier.csv'), 2_222_222, 0);
  await takeIn();
  const authors = [
    `drop folder (${username})`,
    'drop folder (uid 1234567)',
    'drop folder (uid 2222222)',
    'drop folder (uid 7654321)',
  ];
  expect(await context.approvals.waiting()).toMatchObject([{ authors }]);
  expect((await context.portfolios.read('q4')).file?.by).toBe('drop folder (uid 7654321)');
});

test('a system user is shown by name, or else by number', async () => {
  expect(await userNameOf(0)).toBe('root');
  expect(await userNameOf(process.getuid?.() ?? 0)).toBe(username);
  expect(await userNameOf(1_234_567)).toBe('uid 1234567');
});

// Promise: inbox-approvers-alone
test('INBOX_APPROVERS limits who approves dropped files, and no others', async () => {
  const place = await openDropped({ INBOX_APPROVERS: 'dora, Erin' });
  const { context } = place;
  const users = ['carl', 'dora', 'erin'].map((name) => ({ name, roles: ['approver' as const] }));
  const [waiting] = await context.approvals.waiting();
  expect(await approversOf(waiting ?? { authors: [] }, { list: async () => ({ users }) })).toEqual(['dora', 'erin']);
  expect(await answerBy('carl', context)).toBe('role');
  expect(await answerBy('dora2', context)).toBe('role');
  expect(await answerBy('dora@example.com (sso 4f6d2a)', context)).toBe('role');
  expect(await answerBy('erin', context)).toBe('done');
  await place.import(buyerLines(1), { portfolio: 'q5', by: 'alice' });
  // The request was declined in the dropped file, so its owner may not approve it here either.
  expect((await context.approvals.waiting())[0]?.authors.toSorted()).toEqual(['alice', `command line (${username})`]);
  expect(await answerBy('carl', context)).toBe('done');
});

// Promise: inbox-approvers-alone
test('INBOX_APPROVERS of the serving process applies to the whole account', async () => {
  const { context } = await openDropped();
  const open = async (INBOX_APPROVERS: string[]) =>
    openContext({ settings: { ...context.settings, INBOX_APPROVERS }, log: makeSilentLog() });
  const serving = await open(['dora', 'erin']);
  await keepApprovalRule(serving).finally(() => serving.close());
  expect(await answerBy('carl', context)).toBe('role');
  // If two processes name approvers, only those in both lists may approve.
  const stricter = await open(['erin', 'carl']);
  expect(await answerBy('carl', stricter)).toBe('role');
  expect(await answerBy('dora', stricter)).toBe('role');
  expect(await answerBy('erin', stricter).finally(() => stricter.close())).toBe('done');
});

test('INBOX_APPROVERS may name one person of an identity provider, whose name others may choose', async () => {
  const { context } = await openDropped({ INBOX_APPROVERS: 'dora erin,  Hana  Maier (sso 4f6d2a)' });
  expect(context.settings.INBOX_APPROVERS).toEqual(['dora', 'erin', 'Hana Maier (sso 4f6d2a)']);
  for (const other of ['hana maier (sso 999999)', 'hana (sso 999999)', 'maier'])
    expect(await answerBy(other, context)).toBe('role');
  expect(await answerBy('hana maier (sso 4f6d2a)', context)).toBe('done');
});

// Promise: approvers-in-common-said
test('INBOX_APPROVERS without a common name leave no approver, which log, command and pages show', async () => {
  const { context } = await openDropped();
  const warned: string[] = [];
  const log = { ...makeSilentLog(), warn: (...said: unknown[]) => warned.push(String(said.at(-1))) };
  const open = async (INBOX_APPROVERS: string[]) => {
    const other = await openContext({ settings: { ...context.settings, INBOX_APPROVERS }, log: log as never });
    onTestFinished(() => other.close());
    return other;
  };
  const first = await open(['dora']);
  await keepApprovalRule(first);
  await first.fleet.join('work');
  // Settings may write a name in other letters.
  await keepApprovalRule(await open(['Dora', 'erin']));
  const told = expect.stringMatching(/^INBOX_APPROVERS of the processes that run have no name in common, so nobody/);
  expect(warned).not.toContainEqual(told);
  await keepApprovalRule(await open(['carl']));
  expect(warned.filter((one) => one.includes('INBOX_APPROVERS'))).toEqual([told]);
  const said: string[] = [];
  await sayWaiting('q4', context, { say: (words) => said.push(words) });
  expect(said).toEqual([expect.stringContaining('. INBOX_APPROVERS of the processes')]);
  const waiting = (await context.approvals.waiting()).map((one) => ({ ...one, currency: undefined }));
  const list = approvalsPage({ waiting, total: 1, answered: [], hasUsers: true }, () => false);
  const answering = { needsPassword: false, needsCode: false, needsSignIn: false, approvers: [], csrf: '' };
  const parts = waiting.map((one) => answerPart(one, { ...answering, may: 'role' }));
  for (const { markup } of [list, ...parts]) expect(markup).toContain('Nobody can approve files of the drop folder.');
});

test('INBOX_APPROVERS who are people of an identity provider are said to be so, and no user is asked for', async () => {
  const { context } = await openDropped({ INBOX_APPROVERS: 'dora, erin' });
  const said: string[] = [];
  const settings = { ...context.settings, CONSOLE_OIDC_ROLES: ['heads=approver', 'staff=viewer'] };
  await sayWaiting('q4', { ...context, settings }, { say: (words) => said.push(words) });
  const who = 'Who may approve: dora, erin, as people of the identity provider in one of these groups: heads.';
  expect(said).toEqual([expect.stringContaining(` ${who}`)]);
});

// Promises: run-names-approvers, pages-name-who-may
test('where nobody of INBOX_APPROVERS is a user any more, commands and pages name them, and no other approver', async () => {
  const { context } = await openDropped({ INBOX_APPROVERS: 'dora, erin' });
  await context.people.users.add({ name: 'carl', roles: ['approver'], password: PASSWORD, mustChange: false });
  const said: string[] = [];
  await sayWaiting('q4', context, { say: (words) => said.push(words) });
  expect(said).toEqual([
    expect.stringContaining(' Only those whom INBOX_APPROVERS names may approve it (dora, erin), and '),
  ]);
  const [waiting] = await context.approvals.waiting();
  const answering = { needsPassword: false, needsCode: false, needsSignIn: false, approvers: [], csrf: '' };
  const approval = { ...(waiting as Approval), currency: undefined };
  for (const may of ['own', 'role'] as const)
    expect(answerPart(approval, { ...answering, may }).markup).toContain(
      'dora or erin, with the role approver; no such',
    );
  const state = await context.portfolios.read('q4');
  const [wait] = waitsFor({ state, nowMs: Date.now(), waiting: [{ approval, approvers: [] }] } as never);
  expect(JSON.stringify(wait?.words)).toContain('dora or erin, with the role approver, must approve it');
});
