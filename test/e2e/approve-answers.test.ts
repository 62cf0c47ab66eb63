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
  expect(await desk.json('report', 'q4')).toMatchObject({ states: { held: rows } });
  return {
    limitline,
    approvals: context.approvals,
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
