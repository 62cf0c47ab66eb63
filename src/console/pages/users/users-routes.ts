import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isOfSystem } from '../../../actor.ts';
import type { PersonElsewhere } from '../../../people/oidc/people-elsewhere.ts';
import type { UserView } from '../../../people/people.ts';
import type { Role } from '../../../people/person.ts';
import { ADMIN } from '../../access/access.ts';
import type { Action } from '../../actions/action-words.ts';
import { ConsoleError } from '../../console-app.ts';
import { t } from '../../html/html.ts';
import { tickedRoles } from '../../parts/form.ts';
import { type Posted, page, text } from '../page.ts';
import { ownRolesView, passwordOnceView, removeView, userAddress, usersView, userView } from './users-view.ts';

/** The number of users on one page; a search finds the others. */
const PER_PAGE = 50;

/**
 * `/users` and `/users/NAME`, for admins: who may sign in, and with which roles. A new password is shown once, in the answer to
 * the form. Removing oneself or giving up the role admin needs a confirmation.
 */
export const accountsPage = page<UsersPageFunctions>(
  { at: 'people', marked: 'users', entry: { at: 'users', href: '/users', words: t`Users` }, ours: 'all' },
  ({ get, post }) => [
    get('/users', {
      may: ADMIN,
      show: ({ request, reply, query, given }) => {
        const done = Object.keys(DONE).find((one) => one in query);
        const said = { kind: 'good', words: DONE[done ?? ''] ?? '' } as const;
        return show({ request, reply, given }, done === undefined ? {} : { said });
      },
    }),
    post('/users', {
      may: ADMIN,
      action: 'add user',
      handle: async (acting) => {
        const { reply, fields, tell, given } = acting;
        const name = (fields.name ?? '').trim().toLowerCase();
        const roles = tickedRoles(fields);
        const answer = await given.add({ name, roles });
        if (answer.is === 'no') {
          tell({ refused: true });
          reply.code(422);
          return show(acting, { said: { kind: 'bad', words: answer.words }, add: { name, roles } });
        }
        tell({ user: name, after: roles });
        // A system user opened the console by its link, and the first user ended that session.
        const signedOut = isOfSystem(acting.request.person.by);
        const body = passwordOnceView({ name, password: answer.made.password, isNew: true, signedOut });
        return { title: t`User added`, body, signedOut };
      },
    }),
    get('/users/:user', {
      may: ADMIN,
      query: z.object({ done: text }),
      show: async ({ request, reply, query: { done }, given }) => {
        const said = Object.hasOwn(DONE_TO_ONE, done) ? DONE_TO_ONE[done] : undefined;
        return showUser({ request, reply }, await findUser(request, given), said);
      },
    }),
    get('/users/:user/remove', {
      may: ADMIN,
      show: async ({ request, reply, given }) => {
        const { name } = await findUser(request, given);
        return { title: t`Remove a user`, body: removeView({ csrf: reply.csrf(), name, isSelf: isSelf(request) }) };
      },
    }),
    ...ON_USER.map(({ path, action, handle }) =>
      post(`/users/:user/${path}`, {
        may: ADMIN,
        action,
        handle: async (acting) => {
          const { request, reply, tell, given } = acting;
          const user = await findUser(request, given);
          tell({ user: user.name });
          const refuse = (words: string) => {
            tell({ refused: true });
            reply.code(422);
            return showUser(acting, user, { kind: 'bad', words });
          };
          return handle({ ...acting, user, refuse });
        },
      }),
    ),
    // Sessions of people of an identity provider can be ended too: a person removed at the provider would otherwise stay signed
    // in for hours.
    post('/users/:user/sessions', {
      may: ADMIN,
      action: 'end sessions',
      handle: async ({ request, reply, params: { user: name = '' }, tell, given }) => {
        const isElsewhere = await given.isElsewhere(name);
        if (!isElsewhere) await findUser(request, given);
        tell({ user: name });
        await given.endSessions(name);
        return reply.redirect(isElsewhere ? '/users?ended' : `${userAddress(name)}?done=sessions`, 303);
      },
    }),
  ],
);

async function show(
  { request, reply, given }: { request: FastifyRequest; reply: FastifyReply; given: UsersPageFunctions },
  more: { said?: PageMessage; add?: { name: string; roles: readonly Role[] } },
) {
  const { after, text } = LIST_QUERY.parse(request.query);
  const [{ users, next }, count, elsewhere] = await Promise.all([
    given.list({ after, text, limit: PER_PAGE }),
    given.count(),
    given.elsewhere(),
  ]);
  const isFirst = after === undefined;
  const body = usersView({ csrf: reply.csrf(), users, count, text, isFirst, next, elsewhere, ...more });
  return { title: t`Users`, body };
}

/** The notices on the list of users about what was just done, by the parameter in the address. */
const DONE: Readonly<Record<string, string>> = {
  removed: t`The user is removed.`,
  ended: t`All of that person’s sessions ended.`,
};

/** The query of the list of users: the name after which it begins, and the text to search for. The page of a refused form keeps both. */
const LIST_QUERY = z.object({
  after: text.transform((name) => name || undefined),
  text: text.transform((part) => part.trim().toLowerCase()),
});

/** A notice on a page of users: the result of an action, or why it was refused. */
type PageMessage = { kind: 'good' | 'bad'; words: string };

/** The result of an action on a user, or a message why it was refused. */
export type UserAnswer<T = undefined> = { is: 'done'; made: T } | { is: 'no'; words: string };

export type UsersPageFunctions = {
  /** Users by name whose names contain `text`; `after` is the last name of the page before. */
  list: (given: { after: string | undefined; limit: number; text: string }) => Promise<{
    users: UserView[];
    next: string | undefined;
  }>;
  count: () => Promise<number>;
  read: (name: string) => Promise<UserView | undefined>;
  /** Adds a user with a generated password, which must be changed at the first sign-in. */
  add: (given: { name: string; roles: readonly Role[] }) => Promise<UserAnswer<{ password: string }>>;
  /** Changes the user's roles, and ends the user's sessions. Refused where the last admin would lose that role. */
  setRoles: (name: string, roles: readonly Role[]) => Promise<UserAnswer>;
  /** Generates a new password as {@link add} does; ends the user's sessions. */
  resetPassword: (name: string) => Promise<UserAnswer<{ password: string }>>;
  /** Removes the second factor, which must be set up again at the next sign-in; ends the user's sessions. */
  resetFactor: (name: string) => Promise<UserAnswer>;
  endSessions: (name: string) => Promise<UserAnswer>;
  /** Signed-in people of an identity provider. They have no account here, but their sessions can be ended. */
  elsewhere: () => Promise<readonly PersonElsewhere[]>;
  /** Whether a person of an identity provider signed in under this name. */
  isElsewhere: (name: string) => Promise<boolean>;
  /** Removes a user, except the last admin. */
  remove: (name: string) => Promise<UserAnswer>;
};

/** The notices on a user's page about what was just done, by the code in the address (`?done=`). */
const DONE_TO_ONE: Readonly<Record<string, PageMessage>> = {
  roles: { kind: 'good', words: t`The roles are changed, and all of the user’s sessions ended.` },
  factor: { kind: 'good', words: t`The second factor is forgotten: the user sets up another at the next sign-in.` },
  sessions: { kind: 'good', words: t`All of the user’s sessions ended.` },
};

function showUser(
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  user: UserView,
  said?: PageMessage,
) {
  const body = userView({ csrf: reply.csrf(), user, isSelf: isSelf(request), said });
  return { title: user.name, body };
}

/** Whether an admin is on the page of their own account. */
export function isSelf({ person, params }: FastifyRequest): boolean {
  return person.by === (params as { user: string }).user;
}

/** @throws ConsoleError 404 where there is no such user */
async function findUser({ params }: FastifyRequest, { read }: UsersPageFunctions): Promise<UserView> {
  const user = await read((params as { user: string }).user);
  if (!user) throw new ConsoleError(404, t`There is no such user, or not any more.`);
  return user;
}

/** An action on an existing user. `refuse` answers with the user's page and a message why not. */
type OnUser = Posted<UsersPageFunctions> & { user: UserView; refuse: (words: string) => unknown };

/** The actions of an admin on one user. */
const ON_USER: readonly { path: string; action: Action; handle: (acting: OnUser) => unknown }[] = [
  {
    path: 'roles',
    action: 'change roles',
    handle: async (acting) => {
      const { request, reply, fields, user, tell, given } = acting;
      const roles = tickedRoles(fields);
      const givesUp = isSelf(request) && user.roles.includes('admin') && !roles.includes('admin');
      tell({ before: user.roles, wished: roles });
      if (givesUp && fields.own === undefined) {
        tell({ asked: true });
        const body = ownRolesView({ csrf: reply.csrf(), user, roles });
        return { title: t`Give up being an admin?`, body };
      }
      return goOn(acting, await given.setRoles(user.name, roles), 'roles');
    },
  },

  {
    path: 'password',
    action: 'reset password',
    handle: async ({ request, user, refuse, given }) => {
      if (isSelf(request)) return refuse(OWN);
      const answer = await given.resetPassword(user.name);
      if (answer.is === 'no') return refuse(answer.words);
      const body = passwordOnceView({ name: user.name, password: answer.made.password, isNew: false });
      return { title: t`New password`, body };
    },
  },

  {
    path: 'factor',
    action: 'reset factor',
    handle: async (acting) => {
      if (isSelf(acting.request)) return acting.refuse(OWN);
      return goOn(acting, await acting.given.resetFactor(acting.user.name), 'factor');
    },
  },

  {
    path: 'remove',
    action: 'remove user',
    handle: async ({ request, reply, fields, user, refuse, tell, given }) => {
      tell({ before: user.roles });
      if (isSelf(request) && fields.own === undefined) {
        tell({ refused: true });
        reply.code(422);
        const body = removeView({ csrf: reply.csrf(), name: user.name, isSelf: true, trouble: SURE });
        return { title: t`Remove a user`, body };
      }
      const answer = await given.remove(user.name);
      return answer.is === 'no' ? refuse(answer.words) : reply.redirect('/users?removed', 303);
    },
  },
];

const OWN = t`This is your own account: change it in My account, where your password is asked for.`;
const SURE = t`This is your own account. Nothing was done; say that you mean it, or keep it.`;

function goOn({ reply, user, refuse }: OnUser, answer: UserAnswer, done: string): unknown {
  if (answer.is === 'no') return refuse(answer.words);
  return reply.redirect(`${userAddress(user.name)}?done=${done}`, 303);
}
