import { userInfo } from 'node:os';
import { TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import type { Role } from '../../src/people/person.ts';
import { callCommand, startOnTerminal } from '../support/command.ts';
import { openConsole, openDesk } from '../support/desk.ts';

const PASSWORD = 'a bench under seven trees';

/** A desk on which everything needs approval; its users have a second factor. */
async function openApproving(rows = 3, settings: Record<string, string> = { APPROVE_ALWAYS: 'on' }) {
  const desk = await openDesk(rows, {}, settings);
  const { context } = await openConsole(desk);
  const { people, approvals, portfolios, audit } = context;
  /** Adds a user and returns codes that are valid once each. */
  const addUser = async (name: string, roles: readonly Role[] = ['approver']) => {
    await people.users.add({ name, roles, password: PASSWORD, mustChange: false });
    const { secret } = await people.users.beginFactor(name);
    const codes = await people.users.confirmFactor(name, new TOTP({ secret }).generate());
    return codes ?? [];
  };
  return {
    ...desk,
    context,
    approvals,
    addUser,
    states: async () => (await portfolios.read('q4')).states,
    /** The entries of the audit. */
    entries: async () => (await audit.read.page({ count: 50, walk: 1_000 })).entries,
    answer: (args: string[], code: string | undefined, password = PASSWORD) =>
      callCommand([...args, '--password-stdin'], { ...desk, input: `${password}\n${code}\n` }),
  };
}

test('approve counts the rows that another portfolio requested meanwhile, and these are not requested twice', async () => {
  const { limitline, json, standIn, addUser, answer } = await openApproving();
  const [code, next] = await addUser('bob');
  for (const name of ['q4', 'q5']) await limitline('import', 'q4.csv', '--portfolio', name, '--yes');
  await answer(['approve', 'q5', '--as', 'bob'], code);
  expect((await limitline('run', 'q4.csv', '--portfolio', 'q5', '--no-results')).status).toBe(0);
  const { status, stderr } = await answer(['approve', 'q4', '--as', 'bob'], next);
  expect([status, stderr]).toEqual([
    0,
    expect.stringContaining(
      '3 rows, 3,007.50 in all, were requested elsewhere meanwhile, and nothing is requested twice. A yes requests 0 rows now, 0.00 in all.',
    ),
  ]);
  expect((await limitline('run', 'q4.csv', '--no-results')).status).toBe(0);
  expect((await json('report', 'q4')).states).toMatchObject({ skipped: 3 });
  expect(standIn.counts().made).toMatchObject({ limit: 3 });
});

describe('a run whose rows all wait for approval', () => {
  // Promise: run-names-approvers
  test('ends with 2 at once and lists the approvers; after an approval, the next run sends the rows', async () => {
    const { limitline, json, standIn, addUser, answer } = await openApproving();
    const [code] = await addUser('bob');
    await addUser('fiona', ['finance']);
    const first = await limitline('run', 'q4.csv', '--no-results');
    expect(first.status).toBe(2);
    expect(first.stderr).toMatch(/3 rows, 3,007\.50 in all, wait for another person's approval/);
    expect(first.stderr).toMatch(/npx limitline approve "q4" --as USER --approval \S+,/);
    expect(first.stderr).toMatch(/Who may approve: bob\./);
    expect(standIn.counts().requests).toEqual(expect.objectContaining({ company: {}, limit: {} }));
    expect((await json('report', 'q4')).states).toMatchObject({ awaiting: 3, queued: 0 });

    const approved = await answer(['approve', 'q4', '--as', 'bob'], code);
    expect(approved).toMatchObject({ status: 0, stdout: expect.stringContaining('approved by bob; 3 rows go on') });
    expect(approved.stderr).toContain('3 rows, 3,007.50 in all, to be requested');
    expect(approved.stdout + approved.stderr).not.toContain(PASSWORD);

    expect((await limitline('run', 'q4.csv', '--no-results')).status).toBe(0);
    expect(standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
    expect((await json('report', 'q4')).states).toMatchObject({ awaiting: 0, done: 3 });
  });

  test('stays paused after an approval when its portfolio is paused, and approve prints that', async () => {
    const { limitline, addUser, answer } = await openApproving();
    const [code] = await addUser('bob');
    await limitline('import', 'q4.csv');
    await limitline('pause', 'q4');
    const { stdout } = await answer(['approve', 'q4', '--as', 'bob'], code);
    expect(stdout).toMatch(/approved by bob; 3 rows go on once somebody resumes the portfolio, which is paused\./);
  });

  // Promise: answers-carried-out
  test.each([
    ['work', '--until-settled'],
    ['run', 'q4.csv', '--no-results'],
  ])('sends approved rows when the approving process was killed right after the approval: %s', async (...command) => {
    const { limitline, start, approvals, standIn } = await openApproving();
    await limitline('import', 'q4.csv');
    const [waiting] = await approvals.waiting();
    expect(await approvals.grant({ id: waiting?.id ?? '', digest: waiting?.digest ?? '', by: 'bob' })).toBe('granted');
    const ended = command[0] === 'work' ? start(...command).ended : limitline(...command);
    expect(await ended).toMatchObject({ status: 0 });
    expect(standIn.counts().made).toMatchObject({ company: 3, limit: 3 });
  });

  test('an import prints what waits for approval, and how to add an approver when there is none', async () => {
    const { limitline } = await openApproving(2, { APPROVE_ABOVE: '2000' });
    const { status, stdout, stderr } = await limitline('import', 'q4.csv', '--yes');
    expect(status).toBe(0);
    expect(stdout + stderr).toMatch(/2 rows, 2,004\.00 in all, wait for another person's approval/);
    expect(stdout + stderr).toContain('Portfolio q4 asks for 2,004.00 with these rows, which is above 2,000.00.');
    expect(stdout + stderr).toMatch(/npx limitline user add NAME --roles approver/);
  });
});

describe('approve', () => {
  // Promises: approve-command-asks-password, no-one-approves-their-own
  test('refuses a wrong password or code, the requester, other roles, and an outdated digest', async () => {
    const { limitline, addUser, answer, states } = await openApproving(1);
    const own = userInfo().username;
    await limitline('import', 'q4.csv', '--yes');
    expect(await answer(['approve', 'q4', '--as', 'bob'], '123456')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npx limitline user add NAME --roles approver'),
    });
    const [right, another] = await addUser('bob');
    const [ownCode] = await addUser(own);
    const [finance] = await addUser('fiona', ['finance']);
    for (const [args, code, password, words] of [
      [['--as', 'bob'], right, 'not the password', 'The name, the password or the code is wrong.'],
      [['--as', 'bob'], '000000', PASSWORD, 'The name, the password or the code is wrong.'],
      [['--as', 'nobody'], right, PASSWORD, 'The name, the password or the code is wrong.'],
      [['--as', own], ownCode, PASSWORD, 'a colleague must decide'],
      [['--as', 'fiona'], finance, PASSWORD, 'it takes the role approver'],
      [['--as', 'bob', '--digest', 'of something else'], another, PASSWORD, 'no longer what was looked at'],
      [
        ['--as', 'bob', '--approval', 'of-another'],
        another,
        PASSWORD,
        'No approval of-another of portfolio "q4" waits',
      ],
    ] as const) {
      const refused = await answer(['approve', 'q4', ...args], code, password);
      expect(refused, words).toMatchObject({ status: 1, stderr: expect.stringContaining(words) });
    }
    expect(await states()).toMatchObject({ awaiting: 1 });
  });

  test('prints JSON, works once, and is audited with the approver and the user of the command line', async () => {
    const { limitline, addUser, answer, entries, approvals } = await openApproving(1);
    const [code, second] = await addUser('bob');
    await limitline('import', 'q4.csv', '--yes');
    const [waiting] = await approvals.waiting();
    const args = ['approve', 'q4', '--as', 'bob', '--json'];
    const { status, stdout } = await answer([...args, '--digest', waiting?.digest ?? ''], code);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      portfolio: 'q4',
      answer: 'approved',
      by: 'bob',
      rows: 1,
      sum: '1001.50',
    });
    expect(await answer(args, second)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('waits for approval'),
    });
    const told = (await entries()).filter(({ what }) => what === 'approval answered yes');
    expect(told.length).toBeGreaterThan(0);
    expect(told.at(-1)).toMatchObject({ by: 'bob', about: 'q4', from: expect.stringContaining('command line on') });
    expect(JSON.stringify(told)).toContain(`command line (${userInfo().username})`);
    expect(JSON.stringify(told)).not.toContain(PASSWORD);
  });

  test('asks for password and code on a terminal without showing them', async () => {
    const { cwd, env, limitline, addUser, states } = await openApproving(1);
    const [code] = await addUser('bob');
    await limitline('import', 'q4.csv', '--yes');
    const terminal = startOnTerminal(['approve', 'q4', '--as', 'bob'], { cwd, env });
    await expect.poll(terminal.shown).toContain('Password of bob: ');
    terminal.press(`${PASSWORD}\r`);
    await expect.poll(terminal.shown).toContain('Code of the second factor: ');
    terminal.press(`${code}\r`);
    expect(await terminal.ended).toMatchObject({ status: 0, shown: expect.stringContaining('approved by bob') });
    expect(terminal.shown()).not.toContain(PASSWORD);
    expect(terminal.shown()).not.toContain(code);
    expect(await states()).toMatchObject({ awaiting: 0, queued: 1 });
  });
});

test('decline cancels the rows with its reason, and a retry of these rows waits for approval again', async () => {
  const { limitline, addUser, answer, states, json } = await openApproving(2);
  const [code] = await addUser('bob');
  await limitline('import', 'q4.csv', '--yes');
  const declined = await answer(['decline', 'q4', '--as', 'bob', '--because', 'ask for less'], code);
  expect(declined).toMatchObject({ status: 0, stdout: expect.stringContaining('declined by bob') });
  expect(await states()).toMatchObject({ cancelled: 2 });
  const { stderr: none } = await limitline('approve', 'q4', '--as', 'bob');
  expect(none).toContain('waits for approval. To see how its rows are, run: npx limitline report "q4"');
  const { stdout: report } = await limitline('report', 'q4');
  expect(report).toMatch(/^Declined by bob on [\d-]{10}, 2 rows, 2,004\.00 in all: ask for less$/m);
  expect(report).not.toContain('get the lines to correct');
  const retried = await limitline('retry', 'q4', '--state', 'cancelled');
  expect(retried).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('Nothing was sent: 2 rows of portfolio q4'),
  });
  expect(await json('retry', 'q4', '--state', 'cancelled')).toMatchObject({ retried: 0 });
  expect(await states()).toMatchObject({ awaiting: 2, cancelled: 0 });
  const { entries } = await json('audit', 'list');
  const facts = entries
    .filter(({ what, is }: Said) => what === 'rows retried' && is === 'done')
    .map(({ facts }: Said) => facts);
  expect(facts).toMatchObject([
    { planned: 2, retried: 0, waits: expect.any(String) },
    { planned: 0, retried: 0 },
  ]);
});

/** What these tests read of an audit entry. */
type Said = { what: string; is?: string; facts?: unknown };
