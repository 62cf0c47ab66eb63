import { onceAtATime } from '../once-at-a-time.ts';
import { makePeopleElsewhere } from './oidc/people-elsewhere.ts';
import { makeHashQueue } from './passwords/hash-queue.ts';
import { passwordFault } from './passwords/password-rules.ts';
import { makeOpenings, makeSessions, SESSION_LIMITS, type SessionLimits } from './sessions/sessions.ts';
import { GUESS_LIMITS, type GuessLimits, makeGuesses } from './sign-in/guesses.ts';
import { makeProve, makeSignIn, makeTryPassword, type RefusedSignIn } from './sign-in/sign-in.ts';
import { makeUsers, type UserDeps } from './users/users.ts';

export type { SessionView, SignedIn } from './sessions/sessions.ts';
export type { RefusedSignIn } from './sign-in/sign-in.ts';
export type { UserView } from './users/user.ts';

export type People = ReturnType<typeof makePeople>;

/** Time in ms for which a process relies on what it last read about whether there are any users. */
const BELIEVED_MS = 1_000;

/** A user's own change of password: `unfit` says why the new one is not acceptable. */
type OwnChange = { is: 'ok' } | { is: 'unfit'; why: string } | RefusedSignIn;

type PeopleDeps = Pick<UserDeps, 'connection' | 'keys' | 'secret' | 'hash' | 'words' | 'initialMs'> & {
  /** The clock for codes (RFC 6238), in ms. */
  now?: () => number;
  sessionLimits?: SessionLimits;
  guessLimits?: GuessLimits;
};

/** The users of this installation, how they sign in, and all sessions. */
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
    /** Whether there are users, so that everybody has to sign in. Changes by other processes are noticed within a second. */
    async required(): Promise<boolean> {
      if (known !== undefined && performance.now() - known.atMs < BELIEVED_MS) return known.isRequired;
      return await ask();
    },

    users,
    signIn,
    sessions,
    openings: makeOpenings({ ...base, limits: sessionLimits }),
    /** People of identity providers, who have no account here. */
    elsewhere: makePeopleElsewhere({ connection, keys, sessions }),

    /** Checks both factors at once, for the command line. */
    check,

    /**
     * Changes a user's own password, given the old one (ASVS 5.0, 6.2.3). Ends all sessions of the user except `keep`, to which the caller
     * then gives a new token by `sessions.renew`.
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
        old === next
          ? 'The new password is the one that you have already; choose another.'
          : passwordFault(next, name, words);
      if (why !== undefined) return { is: 'unfit', why };
      const found = await again({ name, password: old, from });
      if (found.is !== 'ok') return found;
      await users.setPassword(name, next, { mustChange: false, keep, expected: found.digest });
      return { is: 'ok' };
    },
  };
}
