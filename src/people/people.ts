import type { SharedKeys } from '../ledger/schema/keys.ts';
import type { RedisConnection } from '../lua-script.ts';
import { onceAtATime } from '../once-at-a-time.ts';
import { makePeopleElsewhere } from './oidc/people-elsewhere.ts';
import { makeHashQueue } from './passwords/hash-queue.ts';
import { passwordFault } from './passwords/password-rules.ts';
import type { Secret } from './secret.ts';
import { makeOpenings } from './sessions/openings.ts';
import { SESSION_LIMITS, type SessionLimits } from './sessions/session-limits.ts';
import { makeSessions } from './sessions/sessions.ts';
import { GUESS_LIMITS, type GuessLimits, makeGuesses } from './sign-in/guesses.ts';
import { makeProve } from './sign-in/prove.ts';
import { makeSignIn } from './sign-in/sign-in.ts';
import { makeTryPassword, type RefusedSignIn } from './sign-in/try-password.ts';
import { makeUsers } from './users/users.ts';

export type { SessionView, SignedIn } from './sessions/sessions.ts';
export type { RefusedSignIn } from './sign-in/try-password.ts';
export type { UserView } from './users/user.ts';

export type People = ReturnType<typeof makePeople>;

/** For so long a process believes what it knew of whether there are users. */
const BELIEVED_MS = 1_000;

/** One's own change of the password: `unfit` says why the new one will not do. */
export type OwnChange = { is: 'ok' } | { is: 'unfit'; why: string } | RefusedSignIn;

type PeopleDeps = {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  /** The clock of the codes (RFC 6238), in ms. */
  now?: () => number;
  sessionLimits?: SessionLimits;
  guessLimits?: GuessLimits;
  /** What says little in a password here: the names of the account and of the machine. */
  words?: readonly string[];
  /** How passwords are kept. */
  hash?: ((password: string) => Promise<string>) | undefined;
  /** For how long a password that somebody else set is good. */
  initialMs?: number;
};

/** Who people are: the users of this installation, how they sign in, and the sessions of all who did. */
export function makePeople({
  connection,
  keys,
  secret,
  now = Date.now,
  sessionLimits = SESSION_LIMITS,
  guessLimits = GUESS_LIMITS,
  words = [],
  ...rest
}: PeopleDeps) {
  let known: { isRequired: boolean; atMs: number } | undefined;
  const learn = (isRequired: boolean): boolean => {
    known = { isRequired, atMs: performance.now() };
    return isRequired;
  };
  const ask = onceAtATime(async (): Promise<boolean> => learn((await connection.exists(keys.users)) === 1));

  const queue = makeHashQueue();
  const base = { connection, keys, secret };
  const guesses = makeGuesses({ ...base, limits: guessLimits });
  const sessions = makeSessions({ ...base, limits: sessionLimits, onRequired: learn });
  const tryPassword = makeTryPassword({ guesses, queue });
  const signIn = makeSignIn({ ...base, guesses, tryPassword, sessions, limits: sessionLimits, now });
  const { check, again } = makeProve({ ...base, guesses, tryPassword, now });
  const users = makeUsers({ ...base, queue, now, words, onAdded: () => learn(true), ...rest });

  return {
    /** Whether there are users, so that whoever comes must be one. What others changed is known here a second later at the most. */
    async required(): Promise<boolean> {
      if (known !== undefined && performance.now() - known.atMs < BELIEVED_MS) return known.isRequired;
      return await ask();
    },

    users,
    /** `again`: the password once more, of somebody who is signed in. */
    signIn: { ...signIn, again },
    sessions,
    openings: makeOpenings({ ...base, limits: sessionLimits }),
    /** People of identity providers, who have no account here. */
    elsewhere: makePeopleElsewhere({ connection, keys, sessions }),

    /** Who somebody is by both factors at once, for the command line. */
    check,

    /**
     * A user's own change of the password, for which the old one is asked (ASVS 5.0, 6.2.3). All sessions of the user end but `keep`,
     * which the caller gives a new token then: `sessions.renew`.
     */
    async changeOwnPassword(given: {
      name: string;
      old: string;
      next: string;
      from: string;
      keep?: string | undefined;
    }): Promise<OwnChange> {
      const { name, old, next, from, keep } = given;
      const why =
        old === next ? 'That is the password that you have; choose another.' : passwordFault(next, name, words);
      if (why !== undefined) return { is: 'unfit', why };
      const found = await again({ name, password: old, from });
      if (found.is !== 'ok') return found;
      await users.setPassword(name, next, { mustChange: false, keep, expected: found.digest });
      return { is: 'ok' };
    },
  };
}
