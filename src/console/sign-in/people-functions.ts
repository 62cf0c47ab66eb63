import type { Person } from '../../people/person.ts';

/** What somebody has to do before anything else: give a code, set a second factor, choose a password. */
export type Owed = 'code' | 'factor' | 'password';

/** Whose a session is; `session` is its public handle, by which it is listed and ended. */
export type KnownSession = { person: Person; owes: Owed | undefined; session: string };

/** What a name and a password led to. `later`: too many were tried, by that name or from that address; `busy`: too many at once. */
export type PasswordAnswer =
  | { is: 'in'; token: string; owes: Owed | undefined }
  | { is: 'no' }
  | { is: 'later'; afterS: number }
  | { is: 'busy' };

/**
 * From where somebody comes: an address of the network, and what their browser calls itself. `device` is the id of the browser, where
 * it is certain that this person signed in there before.
 */
export type Coming = { from: string; agent: string; device?: string | undefined };

/** Sessions as the gate needs them, on each request (make-gate.ts). */
export type GateFunctions = {
  /** Whether whoever comes must be known: there are users, or the console is open to others than this machine. */
  isNeeded: () => Promise<boolean>;
  /** Whose session a token is; undefined for one that ended, or never was. One round trip. `counts`: keeps it from idling. */
  read: (token: string, how: { counts: boolean }) => Promise<KnownSession | undefined>;
  /** Which of these sessions live still; nobody's doing. One round trip. */
  living: (tokens: string[]) => Promise<boolean[]>;
  /** The name of the session's cookie. */
  cookie: string;
  /** How whoever has the console's link comes in, as long as nobody must be known. */
  opening: {
    /** The name of their session's cookie. */
    cookie: string;
    /** Uses a link up, and answers the token of a session; nothing where it is none (any more). */
    open: (link: string, coming: Coming) => Promise<string | undefined>;
  };
};

/** Another way to sign in than a password, such as an identity provider's page. */
export type OtherWay = { href: string; words: string };
