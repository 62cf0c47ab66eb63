import { Secret, TOTP } from 'otpauth';
import type { Role } from '../../src/people/person.ts';
import { makeVisitor, type openConsole } from './desk.ts';
import { PASSWORD } from './people.ts';

type Web = Pick<Awaited<ReturnType<typeof openConsole>>, 'context' | 'url'>;

/** A user with a password of their own, and a second factor where they need one: what their app has is answered. */
export async function addUser({ context: { people } }: Pick<Web, 'context'>, name: string, roles: readonly Role[]) {
  await people.users.add({ name, roles, password: PASSWORD, mustChange: false });
  if (roles.every((role) => role === 'viewer')) return { name, password: PASSWORD, secret: '' };
  const { secret } = await people.users.beginFactor(name);
  const confirm = () => people.users.confirmFactor(name, codeOf(secret, -1));
  // Where a step of time ends in between, the code of the one before is of two before: then that of the next one does.
  const codes = (await confirm()) ?? (await confirm());
  if (!codes) throw new Error('The first code did not do.');
  return { name, password: PASSWORD, secret, codes };
}

/** What the app shows; `steps` of 30 seconds later or earlier, since each code is used once. */
export function codeOf(secret: string, steps = 0): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });
}

/** Somebody who opened the console and signed in, by its pages. */
export async function signIn(
  { url }: Pick<Web, 'url'>,
  user: { name: string; password: string; secret: string },
  code = user.secret === '' ? '' : codeOf(user.secret),
) {
  const visitor = makeVisitor(url);
  await visitor.get('/sign-in');
  const answer = await visitor.post('/sign-in', { name: user.name, password: user.password, to: '/keys' });
  if (answer.status !== 303) throw new Error(`${user.name} could not sign in: ${answer.status} ${answer.text}`);
  if (code !== '') {
    await visitor.get('/sign-in/code');
    const coded = await visitor.post('/sign-in/code', { code, to: '/keys' });
    if (coded.status !== 303) throw new Error(`The code of ${user.name} did not do: ${coded.status} ${coded.text}`);
  }
  await visitor.get('/keys');
  return visitor;
}

/** What was written down, the oldest first; of what was done between two entries, the second one has the facts. */
export async function auditOf({ context: { audit } }: Pick<Web, 'context'>) {
  const { entries } = await audit.read.page({ count: 500, walk: 1_000 });
  return entries.reverse();
}
