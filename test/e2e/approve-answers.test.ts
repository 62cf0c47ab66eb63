import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { callCommand } from '../support/command.ts';
import { openConsole, openDesk } from '../support/desk.ts';

const PASSWORD = 'a bench under seven trees';

/** A desk with so many held rows, whose answers bob has to approve. */
async function openHeld(rows: number) {
  const desk = await openDesk(rows);
  await desk.limitline('import', 'q4.csv', '--yes');
  const { context } = await openConsole(desk);
  const queued = await context.rows.inState('q4', 'queued', { count: rows });
  for (const { row } of queued) await context.rows.advance(row, 'queued', 'held', {});
  const { users } = context.people;
  await users.add({ name: 'bob', roles: ['approver'], password: PASSWORD, mustChange: false });
  const { secret } = await users.beginFactor('bob');
  const codes = (await users.confirmFactor('bob', new TOTP({ secret }).generate())) ?? [];
  const env = { ...desk.env, APPROVE_ALWAYS: 'on' };
  const limitline = (...args: string[]) => callCommand(args, { ...desk, env });
  /** The same without any rule on approvals. */
  const freely = (...args: string[]) => callCommand(args, desk);
  expect(await desk.json('report', 'q4')).toMatchObject({ states: { held: rows } });
  return {
    limitline,
    freely,
    cwd: desk.cwd,
    approvals: context.approvals,
    /** The facts of the newest entry of the audit trail. */
    audited: async () => {
      const { entries } = await context.audit.read.page({ count: 1, walk: 9 });
      return entries[0]?.facts;
    },
    answer: (...args: string[]) =>
      callCommand([...args, '--as', 'bob', '--password-stdin'], {
        ...desk,
        env,
        input: `${PASSWORD}\n${codes.shift()}\n`,
      }),
  };
}

test('resolve --line states that the call waits for approval, and the report shows a decline with its reason', async () => {
  const { limitline, answer } = await openHeld(1);
  const { stdout } = await limitline('resolve', 'q4', '--line', '2', '--resend');
  expect(stdout).toMatch(
    /1,001\.50: its company will be sent again, once another person approves it\nNothing was sent: 1 row/,
  );
  expect((await answer('decline', 'q4', '--because', 'ask the bank first')).status).toBe(0);
  const { stdout: report } = await limitline('report', 'q4');
  expect(report).toMatch(
    /^Answers about held calls declined by bob on [\d-]{10}, 1 row, 1,001\.50 in all: ask the bank first$/m,
  );
});

test('approve lists the ten largest of many answers, and counts the others', async () => {
  const { limitline, answer } = await openHeld(12);
  await limitline('resolve', 'q4', '--all', '--resend', '--yes');
  const { stderr } = await answer('decline', 'q4', '--because', 'no');
  expect(stderr.match(/^ {2}line \d+ /gm)).toHaveLength(10);
  expect(stderr).toMatch(/\n {2}and 2 more\n/);
});

test('approve prints each of several open approvals separately, and requires one by --approval', async () => {
  const { limitline, answer, approvals } = await openHeld(2);
  for (const line of ['2', '3']) await limitline('resolve', 'q4', '--line', line, '--resend');
  const ids = (await approvals.waiting()).map(({ id }) => id);
  expect(ids).toHaveLength(2);
  const { status, stderr } = await answer('approve', 'q4');
  expect(status).toBe(1);
  for (const id of ids) expect(stderr).toMatch(new RegExp(`^  approval      ${id}$`, 'm'));
  expect(stderr).toMatch(
    /^limitline: Several approvals of portfolio "q4" wait: name one by --approval, such as --approval \S+\. Nothing was done\.$/m,
  );
});

// Promise: audit-proves-the-file
test('the audit trail says what a file of answers said, which file it was, and which approval its rows wait for', async () => {
  const { limitline, audited, approvals, cwd } = await openHeld(4);
  const answers = 'line,id\n2,resend\n3,company_7\n4,resend\n5,\n';
  await writeFile(join(cwd, 'answers.csv'), answers);
  expect((await limitline('resolve', 'q4', '--from', 'answers.csv', '--id-is-right')).status).toBe(0);
  const [asked] = await approvals.waiting();
  expect(await audited()).toEqual({
    sha256: createHash('sha256').update(answers).digest('hex'),
    made: 1,
    resend: 2,
    calls: 0,
    rows: 0,
    waits: asked?.id,
  });
});

test('the audit trail says that rows wait for an approval, and not that they were sent again', async () => {
  const { limitline, audited, approvals, answer } = await openHeld(2);
  await limitline('resolve', 'q4', '--line', '2', '--resend');
  expect(await audited()).toMatchObject({ calls: 0, rows: 0, waits: (await approvals.waiting())[0]?.id });
  await answer('decline', 'q4', '--because', 'no');
  await limitline('resolve', 'q4', '--all', '--resend', '--yes');
  expect(await audited()).toMatchObject({ rows: 0, waits: (await approvals.waiting())[0]?.id });
});

test('a file of answers with a wrong line changes nothing, and leaves no entry that says it did', async () => {
  const { limitline, audited, cwd } = await openHeld(2);
  const before = await audited();
  await writeFile(join(cwd, 'answers.csv'), 'line,id\n2,resend\n9,resend\n');
  expect((await limitline('resolve', 'q4', '--from', 'answers.csv')).status).toBe(2);
  expect(await audited()).toEqual(before);
});

// Promise: plan-says-who-must-approve
test('resolve --dry-run says of a file and of a line that another person must approve, and nothing waits then', async () => {
  const { limitline, approvals, cwd } = await openHeld(3);
  await writeFile(join(cwd, 'answers.csv'), 'line,id\n2,resend\n4,resend\n');
  for (const chosen of [
    ['--from', 'answers.csv'],
    ['--line', '3', '--resend'],
  ]) {
    const { stdout } = await limitline('resolve', 'q4', ...chosen, '--dry-run');
    expect(stdout).toMatch(
      /sent again\nA colleague must approve this first\..*\nNothing was changed \(--dry-run\)\.\n$/s,
    );
    const json = JSON.parse((await limitline('resolve', 'q4', ...chosen, '--dry-run', '--json')).stdout);
    expect(json).toMatchObject({ dryRun: true, approval: expect.any(String) });
  }
  expect(await approvals.waiting()).toEqual([]);
});

// Promise: plan-says-who-must-approve
test('resolve --dry-run says that another person must approve an answer like one that was declined, also without rules', async () => {
  const { limitline, freely, answer, approvals, cwd } = await openHeld(2);
  await writeFile(join(cwd, 'answers.csv'), 'line,id\n2,resend\n');
  await limitline('resolve', 'q4', '--from', 'answers.csv');
  await answer('decline', 'q4', '--because', 'ask the bank first');
  for (const chosen of [
    ['--from', 'answers.csv'],
    ['--line', '2', '--resend'],
  ]) {
    const { stdout } = await freely('resolve', 'q4', ...chosen, '--dry-run');
    expect(stdout).toMatch(/sent again\nA colleague must approve this first\..*ask the bank first/);
  }
  expect((await freely('resolve', 'q4', '--line', '3', '--resend', '--dry-run')).stdout).not.toContain('approve');
  await freely('resolve', 'q4', '--from', 'answers.csv');
  expect(await approvals.waiting()).toHaveLength(1);
});
