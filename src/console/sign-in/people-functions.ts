import type { Person } from '../../people/person.ts';

/** A step that a person must do first: enter a code, set up a second factor, choose a password. */
export type Owed = 'code' | 'factor' | 'password';

/** A session's person; `session` is its public id, for listing and ending it. */
export type KnownSession = { person: Person; owes: Owed | undefined; session: string };

/** The result of a name and password. `later`: too many attempts for this name or address; `busy`: too many people at once. */
export type PasswordAnswer =
  | { is: 'in'; token: string; owes: Owed | undefined }
  | { is: 'no' }
  | { is: 'later'; afterS: number }
  | { is: 'busy' };

/**
 * Where a sign-in comes from: the network address and the user agent. `device` is the browser's id, if this person has signed
 * in there before.
 */
export type Coming = { from: string; agent: string; device?: string | undefined };

/** The functions for sessions that the gate needs on each request (make-gate.ts). */
export type GateFunctions = {
  /** Whether people must sign in: there are users, or others can reach the console. */
  isNeeded: () => Promise<boolean>;
  /** The session of a token; undefined for an unknown or ended one. One round trip. `counts`: the request prolongs the session. */
  read: (token: string, how: { counts: boolean }) => Promise<KnownSession | undefined>;
  /** Which of these sessions are alive, without extending them. One round trip. */
  living: (tokens: string[]) => Promise<boolean[]>;
  /** The name of the session's cookie. */
  cookie: string;
  /** How people come in by the console's link, while no sign-in is needed. */
  opening: {
    /** The name of the cookie of such a session. */
    cookie: string;
    /** Uses a link up and answers the token of a new session; undefined for an invalid or used link. */
    open: (link: string, coming: Coming) => Promise<string | undefined>;
  };
};

/** Another sign-in than by password, such as an identity provider's page. */
export type OtherWay = { href: string; words: string };
