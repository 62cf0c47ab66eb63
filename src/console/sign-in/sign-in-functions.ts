import type { Coming, OtherWay, PasswordAnswer } from './people-functions.ts';
import type { NewFactor } from './sign-in-view.ts';

/** What came of a code: a new token, since whoever knew the old one must not have the session that it became (ASVS 7.2.4). */
export type CodeAnswer = { is: 'in'; token: string } | { is: 'no' } | { is: 'later'; afterS: number };

/** What came of a change of one's own: the token of the session that goes on, or words on why it was not done. */
export type ChangeAnswer<T = unknown> = { is: 'done'; token: string; made: T } | { is: 'no'; words: string };

/** What the sign-in is handed: made in scripts/console/people/sign-in.ts. */
export type SignInFunctions = {
  password: (given: { name: string; password: string } & Coming) => Promise<PasswordAnswer>;
  /** A code of the app, or a recovery code. */
  code: (given: { token: string; code: string } & Coming) => Promise<CodeAnswer>;
  /** Begins to set up a second factor: the same again, as long as it was not confirmed. */
  beginFactor: (name: string) => Promise<NewFactor>;
  /** Its first code; all other sessions of that person end. `made` are the recovery codes. */
  confirmFactor: (
    given: { name: string; token: string; code: string } & Coming,
  ) => Promise<ChangeAnswer<readonly string[]>>;
  /** A password in the place of one that somebody else made; all other sessions of that person end. */
  setPassword: (given: { name: string; token: string; password: string } & Coming) => Promise<ChangeAnswer>;
  /** Ends a session; nothing for one that ended. */
  end: (token: string) => Promise<void>;
  /** Whether there is a user of this name: what is typed there else may be a password, and is kept nowhere. */
  isUser: (name: string) => Promise<boolean>;
  ways: readonly OtherWay[];
};
