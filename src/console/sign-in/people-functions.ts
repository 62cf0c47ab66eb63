import type { Person } from '../../people/person.ts';

/** A step of the sign-in that a person still has to do: enter a code, set up a second factor, choose a password. */
export type Owed = 'code' | 'factor' | 'password';

/**
 * A session that is alive: its person, the step of the sign-in that they still have to do, and its public id, by which it is
 * listed and ended.
 */
export type KnownSession = { person: Person; owes: Owed | undefined; session: string };

/**
 * The result of a sign-in by name and password. `later`: too many attempts for this name or address; `busy`: too many passwords
 * are being checked at once.
 */
export type PasswordAnswer =
  | { is: 'in'; token: string; owes: Owed | undefined }
  | { is: 'no' }
  | { is: 'later'; afterS: number }
  | { is: 'busy' };

/**
 * The client of a sign-in: its network address and user agent. `device` is the browser's id, if this person has signed in
 * with this browser before.
 */
export type SignInClient = { from: string; agent: string; device?: string | undefined };

export type GateFunctions = {
  /** Whether people must sign in: there are users, or others can reach the console. */
  isNeeded: () => Promise<boolean>;
  /** The session of a token; undefined for an unknown or ended one. One round trip. `counts`: the request prolongs the session. */
  read: (token: string, how: { counts: boolean }) => Promise<KnownSession | undefined>;
  /** Which of these sessions are alive, without extending them. One round trip. */
  living: (tokens: string[]) => Promise<boolean[]>;
  /** The name of the session's cookie. */
  cookie: string;
  /** The sessions of people who come by the console's link, while no sign-in is needed. */
  opening: {
    /** The name of the cookie that holds the token of a session begun by the console's link. */
    cookie: string;
    /** Uses a link up and answers the token of a new session; undefined for an invalid or used link. */
    open: (link: string, client: SignInClient) => Promise<string | undefined>;
  };
};

/** A way to sign in other than by password, such as an identity provider: the address of its page, and the words of the link. */
export type OtherWay = { href: string; words: string };

/**
 * The result of a code. A correct code gives the session a new token, so that the token from before the code cannot be used any
 * more (ASVS 7.2.4).
 */
type CodeAnswer = { is: 'in'; token: string } | { is: 'no' } | { is: 'later'; afterS: number };

/** The result of a change to one's own account: the session's new token, or a message why it was refused. */
export type ChangeAnswer<T = unknown> = { is: 'done'; token: string; made: T } | { is: 'no'; words: string };

/** A new second factor: the secret, and the address for apps that holds it (otpauth://). */
export type NewFactor = { secret: string; address: string };

export type SignInFunctions = {
  password: (given: { name: string; password: string } & SignInClient) => Promise<PasswordAnswer>;
  /** Checks a code of the authenticator app, or a recovery code. */
  code: (given: { token: string; code: string } & SignInClient) => Promise<CodeAnswer>;
  /** Starts the set-up of a second factor. Until it is confirmed, further calls answer the same factor. */
  beginFactor: (name: string) => Promise<NewFactor>;
  /** Confirms the second factor by its first code; ends the person's other sessions. `made` are the recovery codes. */
  confirmFactor: (
    given: { name: string; token: string; code: string } & SignInClient,
  ) => Promise<ChangeAnswer<readonly string[]>>;
  /** Replaces a password that somebody else made by the person's own; ends the person's other sessions. */
  setPassword: (given: { name: string; token: string; password: string } & SignInClient) => Promise<ChangeAnswer>;
  /** Ends a session, if it is alive. */
  end: (token: string) => Promise<void>;
  /** Whether a user has this name. Other input may be a password, and must not be recorded. */
  isUser: (name: string) => Promise<boolean>;
  ways: readonly OtherWay[];
};
