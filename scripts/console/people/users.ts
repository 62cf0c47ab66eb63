import type { UserAnswer, UsersPageFunctions } from '../../../src/console/pages/users/users-functions.ts';
import type { Context } from '../../../src/context.ts';
import { makeInitialPassword } from '../../../src/people/passwords/initial-password.ts';
import { wordsOfFault } from './change-own.ts';

/** What the users' pages can do. */
export function usersPageFunctions({ people }: Context): UsersPageFunctions {
  const { users } = people;
  const answerOf = async <T>(work: () => Promise<unknown>, made: T): Promise<UserAnswer<T>> => {
    const words = await wordsOfFault(work);
    return words === undefined ? { is: 'done', made } : { is: 'no', words };
  };
  return {
    list: (wish) => users.list(wish),
    count: () => users.count(),
    read: (name) => users.read(name),
    add: ({ name, roles }) => {
      const password = makeInitialPassword();
      return answerOf(() => users.add({ name, roles, password, mustChange: true }), { password });
    },
    setRoles: (name, roles) => answerOf(() => users.setRoles(name, roles), undefined),
    resetPassword: (name) => {
      const password = makeInitialPassword();
      return answerOf(() => users.setPassword(name, password, { mustChange: true }), { password });
    },
    resetFactor: (name) => answerOf(() => users.resetFactor(name), undefined),
    endSessions: async (name) => ({ ended: await people.sessions.endAll(name) }),
    listSso: () => people.sessions.listSso(),
    remove: (name) => answerOf(() => users.remove(name), undefined),
  };
}
