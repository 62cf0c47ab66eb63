import { expect, test } from 'vitest';
import { callCommand } from '../../support/command.ts';
import { freshPrefix } from '../../support/ledger.ts';
import { openPeople, SECRET } from '../../support/people.ts';
import { redisUrl } from '../../support/redis/own-database.ts';
import { makeFolder } from '../../support/workplace.ts';

/** Calls `limitline user …` on an installation of this test alone. */
async function openUsers() {
  const [cwd, prefix] = [await makeFolder(), freshPrefix()];
  const env = { REDIS_URL: redisUrl(), LIMITLINE_PREFIX: prefix, LIMITLINE_DATA: cwd, LIMITLINE_SECRET: SECRET };
  return {
    opened: openPeople({ prefix }),
    user: (...args: string[]) => callCommand(['user', ...args], { cwd, env }),
    audit: () => callCommand(['audit', 'list', '--json'], { cwd, env }),
    /** Gives the command a line on standard input. */
    typed: (input: string, ...args: string[]) => callCommand(['user', ...args], { cwd, env, input }),
  };
}

test('a user is added with a generated password that is printed once, then changed and removed', async () => {
  const { user, opened } = await openUsers();
  expect((await user('list')).stdout).toMatch(/There is no user yet/);
  const added = await user('add', 'alice', '--roles', 'approver,finance');
  expect(added).toMatchObject({ status: 0 });
  const [, password = ''] = /shown only now: (\S+)/.exec(added.stdout) ?? [];
  expect(password).toMatch(/^[a-z]{5}(-[a-z]{5}){5}$/);
  expect(added.stdout).toMatch(/as finance, approver\..*good for 72 hours.*From now on the console asks everybody/s);
  expect(await opened.signIn('alice', password)).toMatchObject({ owes: 'password' });

  expect((await user('roles', 'alice', '--roles', 'admin')).stdout).toMatch(/is admin from now on, and is signed out/);
  const changed = await user('password', 'alice', '--json');
  const json = JSON.parse(changed.stdout);
  expect(json).toMatchObject({ name: 'alice', roles: ['admin'], mustChange: true, hasFactor: false });
  expect(await opened.signIn('alice', json.password)).toMatchObject({ owes: 'password' });
  await opened.setFactor('alice');
  expect((await user('list')).stdout).toMatch(
    /^alice +admin +second factor, must choose a password, last signed in \d{4}-/,
  );
  expect((await user('factor', 'alice', '--reset')).stdout).toMatch(/no second factor any more/);
  expect(JSON.parse((await user('list', '--json')).stdout).users).toMatchObject([{ name: 'alice', hasFactor: false }]);
  expect((await user('roles', 'alice', '--roles', 'viewer')).stdout).toMatch(/Nobody is admin/);
  expect((await user('remove', 'alice')).stdout).toMatch(/removed.*There is no user any more/s);
});

// Promise: user-commands-end-sessions
test('user sessions lists and ends the sessions of a local user and of an SSO user', async () => {
  const { user, opened } = await openUsers();
  const eve = 'eve@example.com (sso 4f6d2a)';
  await opened.addUser('alice');
  const { token } = await opened.signIn('alice');
  const place = { from: '192.0.2.9', agent: 'a\u001b[2Jbrowser' };
  const ofEve = await opened.people.sessions.begin({ person: { by: eve, roles: ['viewer'] }, ...place });
  expect((await user('sessions', eve)).stdout).toMatch(
    /^from 192\.0\.2\.9, since .+Z, last used .+Z, a \[2Jbrowser\n$/,
  );
  const read = (of: string) => opened.people.sessions.read(of, { counts: false });
  expect(await read(ofEve)).toBeDefined();
  expect((await user('sessions', eve, '--end')).stdout).toMatch(/is signed out everywhere: 1 session ended/);
  expect([await read(ofEve), await read(token)]).toEqual([undefined, expect.anything()]);
  expect(JSON.parse((await user('sessions', 'alice', '--end', '--json')).stdout)).toMatchObject({ ended: 1 });
  expect(await read(token)).toBeUndefined();
  expect((await user('sessions', 'alice')).stdout).toBe('alice is not signed in.\n');
});

// Promise: user-changes-audited
test('the audit has each change of a user with the roles before and after, and no password', async () => {
  const { user, audit, opened } = await openUsers();
  const { password } = JSON.parse((await user('add', 'alice', '--roles', 'viewer', '--json')).stdout);
  await user('roles', 'alice', '--roles', 'finance,approver');
  const again = JSON.parse((await user('password', 'alice', '--json')).stdout).password;
  await user('sessions', 'alice');
  await user('sessions', 'alice', '--end');
  await opened.setFactor('alice');
  await user('factor', 'alice', '--reset');
  await user('remove', 'alice');
  const { stdout } = await audit();
  const ended = JSON.parse(stdout).entries.filter(({ is }: { is: string }) => is === 'done');
  expect(ended).toMatchObject([
    { what: 'user added', facts: { after: ['viewer'], mustChange: true } },
    { what: 'roles set', about: 'alice', facts: { before: ['viewer'], after: ['finance', 'approver'] } },
    { what: 'password set', facts: { mustChange: true } },
    { what: 'sessions of a user ended', about: 'alice', facts: { ended: 0 } },
    { what: 'second factor reset', about: 'alice' },
    { what: 'user removed', facts: { before: ['finance', 'approver'], users: 0 } },
  ]);
  for (const secret of [password, again]) expect(stdout).not.toContain(secret);
});

test('--password-stdin reads the password, and --own makes it valid without a change at first sign-in', async () => {
  const { typed, opened } = await openUsers();
  const words = 'seven trees above a bench';
  expect((await typed(`${words}\n`, 'add', 'alice', '--roles', 'viewer', '--password-stdin', '--own')).status).toBe(0);
  expect(await opened.signIn('alice', words)).toMatchObject({ owes: undefined });
  const other = 'a bench without any trees';
  const set = await typed(other, 'password', 'alice', '--password-stdin');
  expect(set.stdout).not.toContain(other);
  expect(await opened.signIn('alice', other)).toMatchObject({ owes: 'password' });
  const weak = await typed('limitline2026', 'password', 'alice', '--password-stdin');
  expect(weak).toMatchObject({ status: 1, stderr: expect.stringMatching(/choose another\. Nothing was done/) });
  const lines = await typed('one line of it\nanother line\n', 'password', 'alice', '--password-stdin');
  expect(lines).toMatchObject({ status: 1, stderr: expect.stringMatching(/must have one line/) });
  expect(await opened.signIn('alice', other)).toBeDefined();
});

test.each([
  [['add', 'Alice', '--roles', 'viewer'], /is "Alice", but must be/],
  [['add', 'console', '--roles', 'viewer'], /choose another name/],
  [['add', 'alice', '--roles', 'root'], /no role "root"; roles are viewer, finance, approver, operator, admin/],
  [['add', 'alice', '--roles', ','], /No role is given/],
  [['password', 'alice'], /There is no user "alice"/],
  [['roles', 'alice', '--roles', 'viewer'], /There is no user "alice"/],
  [['remove', 'alice'], /There is no user "alice"/],
  [['sessions', 'eve (sso 4f6d2a)', '--end'], /Nobody who is called "eve \(sso 4f6d2a\)" is signed in/],
  [['factor', 'alice', '--reset'], /There is no user "alice"/],
])('user %j is refused with one sentence', async (args, why) => {
  const { user } = await openUsers();
  const { status, stdout, stderr } = await user(...args);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(why);
});
