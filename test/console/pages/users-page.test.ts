import { expect, test } from 'vitest';
import { makeSharedKeys } from '../../../src/ledger/schema/keys.ts';
import { makePersonNames } from '../../../src/people/oidc/people-elsewhere.ts';
import { addUser, auditOf, makeVisitor, openConsole, openDesk, signIn } from '../../support/desk.ts';
import { PASSWORD } from '../../support/people.ts';

async function openAdmin() {
  const web = await openConsole(await openDesk(0));
  const user = await addUser(web, 'anna', ['admin']);
  const admin = await signIn(web, user);
  await admin.get('/users');
  return { web, user, admin };
}

const passwordOf = (page: string) => /class="once"><code>([a-z-]+)</.exec(page)?.[1] ?? '';

// Promises: admins-end-sessions, made-password-shown-once
test('an admin adds a user, whose generated password is shown once and signs the user in', async () => {
  const { web, admin } = await openAdmin();
  const added = await admin.post('/users', { name: ' Ben ', 'role-viewer': 'yes' });
  const password = passwordOf(added.text);
  expect([added.status, added.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(password).toMatch(/^[a-z]{5}(?:-[a-z]{5}){5}$/);
  expect((await admin.get('/users')).text).not.toContain(password);
  expect((await admin.get('/users/ben')).text).not.toContain(password);
  const ben = makeVisitor(web.url);
  await ben.get('/sign-in');
  const { headers } = await ben.post('/sign-in', { name: 'ben', password, to: '/' });
  expect(headers.get('location')).toBe('/sign-in/password');
  const twice = await admin.post('/users', { name: 'ben', 'role-admin': 'yes' });
  expect([twice.status, twice.text]).toEqual([422, expect.stringContaining('There is a user ben already')]);
  for (const name of ['console', 'limitline', 'Unknown', '-x', 'a b', '<script>alert(1)</script>', '../x', '']) {
    const refused = await admin.post('/users', { name, 'role-viewer': 'yes' });
    expect([name, refused.status]).toEqual([name, 422]);
    expect(refused.text).not.toContain('<script>alert');
  }
  expect((await admin.post('/users', { name: 'carl' })).text).toContain('No role is given');
  const entries = await auditOf(web);
  expect(entries).toContainEqual(
    expect.objectContaining({
      by: 'anna',
      what: 'user added',
      is: 'done',
      facts: { status: 200, user: 'ben', after: ['viewer'] },
    }),
  );
  expect(JSON.stringify(entries)).not.toContain(password);
});

// Promise: admins-end-sessions
test('changing roles, password or second factor, or ending sessions, ends all of the user’s sessions at once', async () => {
  const { web, admin } = await openAdmin();
  const ben = await addUser(web, 'ben', ['viewer']);
  const steps: [string, Record<string, string>][] = [
    ['sessions', {}],
    ['password', {}],
    ['roles', { 'role-finance': 'yes' }],
    ['factor', {}],
  ];
  for (const [step, [what, fields]] of steps.entries()) {
    const answer = await web.context.people.signIn.password({ ...ben, from: '127.0.0.1', agent: '' });
    if (answer.is !== 'in') throw new Error(answer.is);
    const { token } = answer;
    expect(await web.context.people.sessions.read(token, { counts: false }), what).toBeDefined();
    const { status, text } = await admin.post(`/users/ben/${what}`, fields);
    expect([what, status]).toEqual([what, what === 'password' ? 200 : 303]);
    if (what === 'password') ben.password = passwordOf(text);
    expect([step, await web.context.people.sessions.read(token, { counts: false })]).toEqual([step, undefined]);
  }
  const page = await admin.get('/users/ben');
  expect(page.text).toMatch(/name="role-finance" value="yes" checked/);
  expect(page.text).toContain('not yet');
  expect(await auditOf(web)).toContainEqual(
    expect.objectContaining({
      what: 'roles changed',
      is: 'done',
      facts: { status: 303, user: 'ben', before: ['viewer'], wished: ['finance'] },
    }),
  );
});

// Promise: admins-end-sessions
test('removing a user shows a confirmation page, and ends the user’s session at once', async () => {
  const { web, admin } = await openAdmin();
  const ben = await signIn(web, await addUser(web, 'ben', ['viewer']));
  expect((await admin.get('/users/ben/remove')).text).toContain('Remove <bdi>ben</bdi>?');
  expect((await admin.post('/users/ben/remove')).headers.get('location')).toBe('/users?removed');
  expect((await ben.get('/keys')).status).toBe(303);
  expect((await admin.get('/users/ben')).status).toBe(404);
  expect((await admin.post('/users/ben/roles', { 'role-admin': 'yes' })).status).toBe(404);
});

// Promise: last-admin-stays
test('the last admin can neither be removed nor drop the role, and other admins must confirm it for themselves', async () => {
  const { web, admin } = await openAdmin();
  const asked = await admin.post('/users/anna/roles', { 'role-viewer': 'yes' });
  expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('Give up being an admin?')]);
  const last = await admin.post('/users/anna/roles', { 'role-viewer': 'yes', own: 'yes' });
  expect([last.status, last.text]).toEqual([422, expect.stringContaining('the last admin')]);
  expect((await admin.post('/users/anna/remove')).text).toContain('say that you mean it');
  expect((await admin.post('/users/anna/remove', { own: 'yes' })).text).toContain('the last admin');
  for (const what of ['password', 'factor']) {
    expect((await admin.post(`/users/anna/${what}`)).text, what).toContain('This is your own account');
  }
  expect((await admin.get('/users')).status).toBe(200);
  await addUser(web, 'ben', ['admin']);
  await admin.get('/users');
  expect((await admin.post('/users/anna/roles', { 'role-viewer': 'yes', own: 'yes' })).status).toBe(303);
  expect((await admin.get('/users')).status, 'signed out').toBe(303);
});

test('a user without the role admin is refused on all pages and actions of users', async () => {
  const { web } = await openAdmin();
  const ben = await signIn(web, await addUser(web, 'ben', ['viewer', 'finance', 'approver', 'operator']));
  for (const path of ['/users', '/users/anna', '/users/anna/remove']) expect((await ben.get(path)).status).toBe(403);
  for (const path of [
    '',
    '/anna/roles',
    '/ben/roles',
    '/anna/password',
    '/anna/factor',
    '/anna/sessions',
    '/anna/remove',
  ]) {
    const { status } = await ben.post(`/users${path}`, { name: 'carl', 'role-admin': 'yes', own: 'yes' });
    expect([path, status]).toEqual([path, 403]);
  }
  expect((await ben.get('/me')).text).not.toContain('href="/users"');
});

test('1,000 users are listed page by page and found by search, each once', async () => {
  const { web, admin } = await openAdmin();
  await usersLike(web, 1_000);
  const names: string[] = [];
  let path: string | undefined = '/users';
  while (path !== undefined) {
    const { text } = await admin.get(path);
    names.push(...[...text.matchAll(/<a href="\/users\/([^"]+)"><bdi>/g)].map(([, name = '']) => name));
    path = /href="([^"]+)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  }
  expect([names.length, new Set(names).size]).toEqual([1_001, 1_001]);
  expect(names).toEqual([...names].sort());
  expect((await admin.get('/users?text=USER-07')).text.match(/\/users\/user-07\d\d"/g)).toHaveLength(50);
  expect((await admin.get('/users?text=%3Cscript%3E')).text).toContain('&lt;script&gt;');
});

/** Writes users as `user add` does. It gives all of them one password, because hashing one takes long. */
async function usersLike({ context }: { context: Parameters<typeof auditOf>[0]['context'] }, count: number) {
  const { ledger, settings } = context;
  const root = `{${settings.LIMITLINE_PREFIX}}`;
  const pipeline = ledger.pipeline();
  for (let number = 0; number < count; number += 1) {
    const name = `user-${String(number).padStart(4, '0')}`;
    pipeline.hset(`${root}:user:${name}`, { roles: 'viewer', created: Date.now(), epoch: name, password: PASSWORD });
    pipeline.zadd(`${root}:users`, 0, name);
  }
  await pipeline.exec();
}

// Promise: admins-end-sessions
test('an admin finds a person of an identity provider on the page and ends all of their sessions', async () => {
  const { web, admin } = await openAdmin();
  const { people, ledger, settings } = web.context;
  const nameOf = makePersonNames({ connection: ledger, keys: makeSharedKeys(settings.LIMITLINE_PREFIX) });
  const by = await nameOf({ iss: 'https://id.example', sub: '1', preferred_username: 'eve/?"<b>@example.com' });
  const person = { by, roles: ['approver'] as const };
  const tokens = await Promise.all([0, 1].map(() => people.sessions.begin({ person, from: '192.0.2.9', agent: '' })));
  const living = () => people.sessions.living(tokens);
  const page = await admin.get('/users');
  expect(page.text).toContain('eve/?&quot;&lt;b&gt;@example.com (sso ');
  expect(await living()).toEqual([true, true]);
  const address = `/users/${encodeURIComponent(by)}/sessions`;
  expect(page.text).toContain(`action="${address}"`);
  const ended = await admin.post(address);
  expect([ended.status, ended.headers.get('location')]).toEqual([303, '/users?ended']);
  expect(await living()).toEqual([false, false]);
  const after = await admin.get('/users?ended');
  expect(after.text).toContain('sessions ended');
  expect(after.text).not.toContain('eve/');
  expect((await admin.post('/users/nobody%20(sso%20123456)/sessions')).status).toBe(404);
  expect(await auditOf(web)).toContainEqual(
    expect.objectContaining({ by: 'anna', what: 'sessions of a user ended', about: by, is: 'done' }),
  );
});

test('all 1,000 people of an identity provider with a session are listed', async () => {
  const { web, admin } = await openAdmin();
  const { people, ledger, settings } = web.context;
  const nameOf = makePersonNames({ connection: ledger, keys: makeSharedKeys(settings.LIMITLINE_PREFIX) });
  await Promise.all(
    Array.from({ length: 1_000 }, async (_, place) => {
      const by = await nameOf({ iss: 'https://id.example', sub: String(place), preferred_username: `p${place}` });
      await people.sessions.begin({ person: { by, roles: ['viewer'] }, from: '192.0.2.9', agent: '' });
    }),
  );
  const { text } = await admin.get('/users');
  for (const place of [0, 500, 999]) expect(text).toContain(`p${place} (sso `);
});
