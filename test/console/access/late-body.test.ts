import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { People } from '../../../src/people/people.ts';
import { addUser, openConsole, openDesk, signIn } from '../../support/desk.ts';

/** Sends the head of a form at once, and its fields, or this file, after `meanwhile`. Answers the status. */
async function postLate(
  { url, visitor, path }: { url: string; visitor: Awaited<ReturnType<typeof signIn>>; path: string },
  fields: Record<string, string> | { file: string },
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> {
  const { cookie, token } = await visitor.credentials();
  const file =
    typeof fields.file === 'string' &&
    `--x\r\ncontent-disposition: form-data; name="file"; filename="q9.csv"\r\n\r\n${fields.file}\r\n--x--\r\n`;
  const body = file || new URLSearchParams({ _csrf: token, ...fields }).toString();
  const headers = {
    cookie,
    origin: url,
    'content-type': file ? 'multipart/form-data; boundary=x' : 'application/x-www-form-urlencoded',
    'content-length': body.length,
    expect: '100-continue',
  };
  const asked = request(`${url}${path}${file ? `?_csrf=${encodeURIComponent(token)}` : ''}`, {
    method: 'POST',
    headers,
  });
  const answered = once(asked, 'response');
  asked.flushHeaders();
  await once(asked, 'continue');
  // The head was looked at once another request was answered.
  await visitor.get('/keys');
  await meanwhile();
  asked.end(body);
  const [answer] = (await answered) as [IncomingMessage];
  return answer.resume().statusCode;
}

const LOSSES: [string, (people: People) => Promise<unknown>][] = [
  ['is removed', ({ users }) => users.remove('bob')],
  ['gets other roles', ({ users }) => users.setRoles('bob', ['finance'])],
  ['is signed out', ({ sessions }) => sessions.endAll('bob')],
];

// Promises: changes-end-sessions, lost-right-counts-at-once, approval-asks-password-again
test.each(LOSSES)('a request does nothing if its person %s before its body has arrived', async (_how, lose) => {
  const desk = await openDesk(1, {}, { APPROVE_ALWAYS: 'on' });
  const web = await openConsole(desk);
  await addUser(web, 'root', ['admin']);
  const visitor = await signIn(web, await addUser(web, 'bob', ['approver', 'operator']));
  await desk.limitline('import', 'q4.csv', '--yes');
  const [approval] = await web.context.approvals.waiting();
  const { id = '', digest = '' } = approval ?? {};
  const late = { url: web.url, visitor, path: `/approvals/${id}/approve` };
  expect(await postLate(late, { digest }, () => lose(web.context.people))).toBe(401);
  expect(await web.context.approvals.read(id)).toMatchObject({ standing: 'waiting' });
});

// Promises: changes-end-sessions, lost-right-counts-at-once
test.each(LOSSES)('a file is not taken in if its person %s before it has arrived', async (_how, lose) => {
  const web = await openConsole(await openDesk(1));
  await addUser(web, 'root', ['admin']);
  const visitor = await signIn(web, await addUser(web, 'bob', ['finance']));
  const late = { url: web.url, visitor, path: '/new/upload' };
  const file = { file: 'name,requested_limit\nAcme,1000\n' };
  expect(await postLate(late, file, async () => {})).toBe(303);
  const uploads = () => readdir(join(web.context.settings.LIMITLINE_DATA, 'drafts'));
  expect(await uploads()).toHaveLength(1);
  expect(await postLate(late, file, () => lose(web.context.people))).toBe(401);
  // What had arrived is removed.
  await expect.poll(async () => (await uploads()).length).toBe(1);
});

// Promise: lost-right-counts-at-once
test.each(['held/file', 'decisions'])(
  'a file for %s shows no plan to a person who is removed before it has arrived',
  async (path) => {
    const web = await openConsole(await openDesk(1));
    await addUser(web, 'root', ['admin']);
    const visitor = await signIn(web, await addUser(web, 'bob', ['finance', 'operator']));
    const late = { url: web.url, visitor, path: `/portfolios/q4/${path}` };
    const remove = () => web.context.people.users.remove('bob');
    expect(await postLate(late, { file: 'line,id\n2,resend\n' }, remove)).toBe(401);
  },
);

// Promise: lost-right-counts-at-once
test('an approval counts only with the roles that its person has once the password is checked', async () => {
  const desk = await openDesk(1, {}, { APPROVE_ALWAYS: 'on' });
  const web = await openConsole(desk, { identify: async () => ({ by: 'bob', roles: ['approver'] }) });
  const { codes = [], password } = await addUser(web, 'bob', ['finance']);
  await desk.limitline('import', 'q4.csv', '--yes');
  const [approval] = await web.context.approvals.waiting();
  const { id = '', digest = '' } = approval ?? {};
  expect((await web.post(`/approvals/${id}/approve`, { digest, password, code: codes[0] ?? '' })).status).toBe(403);
  expect(await web.context.approvals.read(id)).toMatchObject({ standing: 'waiting' });
});
