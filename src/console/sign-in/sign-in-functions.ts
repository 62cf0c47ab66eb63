import type { Coming, OtherWay, PasswordAnswer } from './people-functions.ts';
import type { NewFactor } from './sign-in-view.ts';

/**
 * The result of a code. A correct code gives the session a new token, so that the token from before the code cannot be used any
 * more (ASVS 7.2.4).
 */
type CodeAnswer = { is: 'in'; token: string } | { is: 'no' } | { is: 'later'; afterS: number };

/** The result of a change to one's own account: the session's new token, or a message why it was refused. */
export type ChangeAnswer<T = unknown> = { is: 'done'; token: string; made: T } | { is: 'no'; words: string };

export type SignInFunctions = {
  password: (given: { name: string; password: string } & Coming) => Promise<PasswordAnswer>;
  /** Checks a code of the authenticator app, or a recovery code. */
  code: (given: { token: string; code: string } & Coming) => Promise<CodeAnswer>;
  /** Starts the set-up of a second factor. Until it is confirmed, further calls answer the same factor. */
  beginFactor: (name: string) => Promise<NewFactor>;
  /** Confirms the second factor by its first code; ends the person's other sessions. `made` are the recovery codes. */
  confirmFactor: (
    given: { name: string; token: string; code: string } & Coming,
  ) => Promise<ChangeAnswer<readonly string[]>>;
  /** Replaces a password that somebody else made by the person's own; ends the person's other sessions. */
  setPassword: (given: { name: string; token: string; password: string } & Coming) => Promise<ChangeAnswer>;
  /** Ends a session, if it is alive. */
  end: (token: string) => Promise<void>;
  /** Whether a user has this name. Other input may be a password, and must not be recorded. */
  isUser: (name: string) => Promise<boolean>;
  ways: readonly OtherWay[];
};
