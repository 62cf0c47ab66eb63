import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import type { People } from '../../../src/people/people.ts';
import { addUser, openConsole, openDesk, signIn } from '../../support/desk.ts';

/** Sends the head of a form at once, and its fields after `meanwhile`. Answers the status. */
async function postLate(
  { url, visitor, path }: { url: string; visitor: Awaited<ReturnType<typeof signIn>>; path: string },
  fields: Record<string, string>,
  meanwhile: () => Promise<unknown>,
): Promise<number | undefined> {
  const { cookie, token } = await visitor.credentials();
  const body = new URLSearchParams({ _csrf: token, ...fields }).toString();
  const headers = {
    cookie,
    origin: url,
    'content-type': 'application/x-www-form-urlencoded',
    'content-length': body.length,
    expect: '100-continue',
  };
  const asked = request(`${url}${path}`, { method: 'POST', headers });
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
