import type { FastifyReply, FastifyRequest } from 'fastify';
import type { UserView } from '../../../people/people.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { ConsoleError } from '../../server/console-error.ts';
import { removeView, userView } from './user-view.ts';
import type { Said, UsersPageFunctions } from './users-functions.ts';

/** `/users/NAME`, and the page that asks before a user is removed. */
export function addUserPage(app: ConsoleApp, given: UsersPageFunctions): void {
  app.get('/users/:user', async (request, reply) => {
    const { done } = request.query as { done?: unknown };
    const said = typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done] : undefined;
    return showUser({ request, reply }, await findUser(request, given), said);
  });
  app.get('/users/:user/remove', async (request, reply) => {
    const { name } = await findUser(request, given);
    const body = removeView({ csrf: reply.csrf(), name, isSelf: isSelf(request) });
    return reply.page({ title: 'Remove a user', at: 'people', marked: 'users', body });
  });
}

/** What was done, as the address of the page says it that is shown afterwards. */
const DONE: Readonly<Record<string, Said>> = {
  roles: { kind: 'good', words: 'The roles are changed, and all of the user’s sessions ended.' },
  factor: { kind: 'good', words: 'The second factor is forgotten: the user sets up another at the next sign-in.' },
  sessions: { kind: 'good', words: 'All of the user’s sessions ended.' },
};

export function showUser(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  user: UserView,
  said?: Said,
) {
  const body = userView({ csrf: reply.csrf(), user, isSelf: isSelf(request), said });
  return reply.page({ title: user.name, at: 'people', marked: 'users', body });
}

/** Whether somebody is at their own account. */
export function isSelf({ person, params }: FastifyRequest): boolean {
  return person.by === (params as { user: string }).user;
}

/** @throws ConsoleError 404 */
export async function findUser({ params }: FastifyRequest, { read }: UsersPageFunctions): Promise<UserView> {
  const user = await read((params as { user: string }).user);
  if (!user) throw new ConsoleError(404, 'There is no such user, or not any more.');
  return user;
}
