import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Role } from '../../../people/person.ts';
import { addAction } from '../../actions/add-action.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { tickedRoles } from '../../parts/roles.ts';
import { addUserActions } from './add-user-actions.ts';
import { addUserPage } from './add-user-page.ts';
import { passwordOnceView } from './user-view.ts';
import type { Said, UsersPageFunctions } from './users-functions.ts';
import { usersView } from './users-view.ts';

/** A page that can be looked over; a search narrows more of them down. */
const PER_PAGE = 50;

/**
 * `/users` and `/users/NAME`, for admins: who may sign in, and what they may. Passwords that are made here are shown in the
 * answer to the form and nowhere else. Nobody removes themselves, or gives up being an admin, without being asked again.
 */
export function addUsersPage(app: ConsoleApp, given: UsersPageFunctions): void {
  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    more: { said?: Said; add?: { name: string; roles: readonly Role[] } } = {},
  ) => {
    const { after, text } = wishOf(request);
    const [{ users, next }, count, sso] = await Promise.all([
      given.list({ after, text, limit: PER_PAGE }),
      given.count(),
      given.listSso(),
    ]);
    const found = sso.filter(({ by }) => by.toLowerCase().includes(text));
    const body = usersView({
      csrf: reply.csrf(),
      users,
      count,
      text,
      isFirst: after === undefined,
      next,
      sso: { people: found.slice(0, PER_PAGE), count: found.length },
      ...more,
    });
    return reply.page({ title: 'Users', at: 'people', body });
  };

  app.get('/users', async (request, reply) => {
    const done = Object.keys(DONE).find((one) => one in (request.query as object));
    return show(request, reply, done === undefined ? {} : { said: { kind: 'good', words: DONE[done] ?? '' } });
  });

  addAction(app, {
    url: '/users',
    action: 'add user',
    handle: async ({ request, reply, fields, tell }) => {
      const name = (fields.name ?? '').trim().toLowerCase();
      const roles = tickedRoles(fields);
      const answer = await given.add({ name, roles });
      if (answer.is === 'no') {
        tell({ refused: true });
        reply.code(422);
        return show(request, reply, { said: { kind: 'bad', words: answer.words }, add: { name, roles } });
      }
      tell({ user: name, after: roles });
      const body = passwordOnceView({ name, password: answer.made.password, isNew: true });
      return reply.page({ title: 'User added', at: 'people', body });
    },
  });

  addUserPage(app, given);
  addUserActions(app, given);
}

/** What was done, as the address of the page says it that is shown afterwards. */
const DONE: Readonly<Record<string, string>> = {
  removed: 'The user is removed.',
  ended: 'All of their sessions ended.',
};

function wishOf({ query }: FastifyRequest): { after: string | undefined; text: string } {
  const { after, text } = query as { after?: unknown; text?: unknown };
  return {
    after: typeof after === 'string' && after !== '' ? after : undefined,
    text: typeof text === 'string' ? text.trim().toLowerCase() : '',
  };
}
