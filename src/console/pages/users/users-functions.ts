import type { PersonElsewhere } from '../../../people/oidc/people-elsewhere.ts';
import type { UserView } from '../../../people/people.ts';
import type { Role } from '../../../people/person.ts';

/** What stands on a page beside its users: that something was done, or why it was not. */
export type Said = { kind: 'good' | 'bad'; words: string };

/** What was done to a user; words where it was not. */
export type UserAnswer<T = undefined> = { is: 'done'; made: T } | { is: 'no'; words: string };

/** What the users' pages can do; made in scripts/console/people/users.ts. */
export type UsersPageFunctions = {
  /** Users by name, those that `text` stands in; `after` is the last name of the page before. */
  list: (given: { after: string | undefined; limit: number; text: string }) => Promise<{
    users: UserView[];
    next: string | undefined;
  }>;
  count: () => Promise<number>;
  read: (name: string) => Promise<UserView | undefined>;
  /** With a password that is made here, and changed at the first sign-in. */
  add: (given: { name: string; roles: readonly Role[] }) => Promise<UserAnswer<{ password: string }>>;
  /** The user's sessions end. Never of the last admin, who would be none any more. */
  setRoles: (name: string, roles: readonly Role[]) => Promise<UserAnswer>;
  /** A new password as with {@link add}; the user's sessions end. */
  resetPassword: (name: string) => Promise<UserAnswer<{ password: string }>>;
  /** The second factor is forgotten, and set up anew at the next sign-in; the user's sessions end. */
  resetFactor: (name: string) => Promise<UserAnswer>;
  endSessions: (name: string) => Promise<UserAnswer>;
  /** People of an identity provider who are signed in now, by name: they are no users of ours, and their sessions can be ended. */
  elsewhere: () => Promise<readonly PersonElsewhere[]>;
  /** Whether somebody of an identity provider came in under this name. */
  isElsewhere: (name: string) => Promise<boolean>;
  /** Never the last admin. */
  remove: (name: string) => Promise<UserAnswer>;
};
