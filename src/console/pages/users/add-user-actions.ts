import type { UserView } from '../../../people/people.ts';
import type { Action } from '../../actions/action-words.ts';
import { type Acting, addAction } from '../../actions/add-action.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { tickedRoles } from '../../parts/roles.ts';
import { findUser, isSelf, showUser } from './add-user-page.ts';
import { ownRolesView, passwordOnceView, removeView, userAddress } from './user-view.ts';
import type { UserAnswer, UsersPageFunctions } from './users-functions.ts';

/** An action on a user who is there. `refuse` says on their page why it was not done. */
type OnUser = Acting & { user: UserView; refuse: (words: string) => unknown };

/** What an admin does to one user. */
export function addUserActions(app: ConsoleApp, given: UsersPageFunctions): void {
  const addOnUser = (what: string, action: Action, handle: (acting: OnUser) => unknown) =>
    addAction(app, {
      url: `/users/:user/${what}`,
      action,
      handle: async (acting) => {
        const { request, reply, tell } = acting;
        const user = await findUser(request, given);
        tell({ user: user.name });
        const refuse = (words: string) => {
          tell({ refused: true });
          reply.code(422);
          return showUser(acting, user, { kind: 'bad', words });
        };
        return handle({ ...acting, user, refuse });
      },
    });

  addOnUser('roles', 'change roles', async (acting) => {
    const { request, reply, fields, user, tell } = acting;
    const roles = tickedRoles(fields);
    const givesUp = isSelf(request) && user.roles.includes('admin') && !roles.includes('admin');
    tell({ before: user.roles, wished: roles });
    if (givesUp && fields.own === undefined) {
      tell({ asked: true });
      const body = ownRolesView({ csrf: reply.csrf(), user, roles });
      return reply.page({ title: 'Give up being an admin?', at: 'people', marked: 'users', body });
    }
    return goOn(acting, await given.setRoles(user.name, roles), 'roles');
  });

  addOnUser('password', 'reset password', async ({ request, reply, user, refuse }) => {
    if (isSelf(request)) return refuse(OWN);
    const answer = await given.resetPassword(user.name);
    if (answer.is === 'no') return refuse(answer.words);
    const body = passwordOnceView({ name: user.name, password: answer.made.password, isNew: false });
    return reply.page({ title: 'New password', at: 'people', marked: 'users', body });
  });

  addOnUser('factor', 'reset factor', async (acting) => {
    if (isSelf(acting.request)) return acting.refuse(OWN);
    return goOn(acting, await given.resetFactor(acting.user.name), 'factor');
  });

  addEndSessions(app, given);

  addOnUser('remove', 'remove user', async ({ request, reply, fields, user, refuse, tell }) => {
    tell({ before: user.roles });
    if (isSelf(request) && fields.own === undefined) {
      tell({ refused: true });
      reply.code(422);
      const body = removeView({ csrf: reply.csrf(), name: user.name, isSelf: true, trouble: SURE });
      return reply.page({ title: 'Remove a user', at: 'people', marked: 'users', body });
    }
    const answer = await given.remove(user.name);
    return answer.is === 'no' ? refuse(answer.words) : reply.redirect('/users?removed', 303);
  });
}

/** Also of somebody whom an identity provider knows: whoever was removed there would be in here for hours. */
function addEndSessions(app: ConsoleApp, given: UsersPageFunctions): void {
  addAction(app, {
    url: '/users/:user/sessions',
    action: 'end sessions',
    handle: async ({ request, reply, params: { user: name = '' }, tell }) => {
      const isElsewhere = await given.isElsewhere(name);
      if (!isElsewhere) await findUser(request, given);
      tell({ user: name });
      await given.endSessions(name);
      return reply.redirect(isElsewhere ? '/users?ended' : `${userAddress(name)}?done=sessions`, 303);
    },
  });
}

const OWN = 'This is your own account: change it in My account, where your password is asked for.';
const SURE = 'This is your own account. Nothing was done; say that you mean it, or keep it.';

function goOn({ reply, user, refuse }: OnUser, answer: UserAnswer, done: string): unknown {
  if (answer.is === 'no') return refuse(answer.words);
  return reply.redirect(`${userAddress(user.name)}?done=${done}`, 303);
}
