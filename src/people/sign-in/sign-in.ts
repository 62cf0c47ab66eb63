import type { SharedKeys } from '../../ledger/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { matchCode } from '../factor/match-code.ts';
import type { HashQueue } from '../passwords/hash-queue.ts';
import { verifyPassword } from '../passwords/password-hash.ts';
import { isOfPossibleLength, normalPassword } from '../passwords/password-rules.ts';
import { peopleScript } from '../people-script.ts';
import type { Person } from '../person.ts';
import type { Secret } from '../secret.ts';
import type { SessionLimits } from '../sessions/session-limits.ts';
import { keyBeginnings, MAX_AGENT, MAX_FROM, type Owes, type Sessions } from '../sessions/sessions.ts';
import { digestOfToken, isToken, makeToken } from '../sessions/token.ts';
import { rolesOf, typedName } from '../users/user.ts';
import type { Guesses, TriedUser, Try } from './guesses.ts';

/** `later`: too many wrong ones; `busy`: too many people at this moment; `no`: a wrong name or password, and it is not said which. */
export type Refused = { is: 'no' } | { is: 'later'; afterS: number } | { is: 'busy' };

type Taken = Extract<Try, { is: 'try' }>;

type SignInDeps = {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  queue: HashQueue;
  guesses: Guesses;
  sessions: Pick<Sessions, 'read'>;
  limits: SessionLimits;
  now: () => number;
};

/**
 * Signing in: with a password first and then, where the user has one, with a code of the second factor. What is wrong is told in
 * the same words and after the same work whether or not there is such a user (ASVS 5.0, 6.3.8).
 */
export function makeSignIn({ connection, keys, secret, queue, guesses, sessions, limits, now }: SignInDeps) {
  const begin = peopleScript(connection, 'begin-session');
  const acceptCode = peopleScript(connection, 'accept-code');
  const acceptCheck = peopleScript(connection, 'accept-check');
  const { idleMs, absoluteMs, halfMs, most } = limits;
  const beginnings = keyBeginnings(keys);
  const sessionKey = async (token: string) => keys.session(digestOfToken(token, await secret.key('sessions')));

  /** A try of a password; where it is the right one, what is known of the user. */
  const tryPassword = async (name: string, password: string, from: string): Promise<Refused | RightPassword> => {
    const taken = await guesses.take('password', name, from);
    if (taken.is === 'later') return taken;
    const isRight = await queue.run(taken.isKnown ? 'known' : 'stranger', () =>
      verifyPassword(normalPassword(cut(password)), taken.user.password),
    );
    if (isRight === 'busy') return { is: 'busy' };
    const { epoch, isExpired } = taken.user;
    if (!isRight || epoch === undefined || isExpired || !isOfPossibleLength(password)) return { is: 'no' };
    return { is: 'right', taken, epoch };
  };

  /** Uses up what proved who somebody is, where no session begins by it. */
  const accept = async (
    name: string,
    { taken, epoch }: RightPassword,
    code: { step: number | ''; digest: string } | undefined,
    codes: Taken | undefined,
  ): Promise<boolean> => {
    const { account, known, place, backMs } = taken.counted;
    const marker = known;
    const accepted = await acceptCheck(
      [keys.user(name), account, codes?.counted.account ?? account, marker, place],
      [
        epoch,
        code?.step ?? '',
        code?.digest ?? '',
        guesses.knownMs,
        backMs + (codes?.counted.backMs ?? 0),
        code === undefined ? 1 : 0,
      ],
    );
    return accepted === 1;
  };

  return {
    /**
     * The first half: name and password. With a second factor the session that `token` stands for is good for {@link SignIn.code}
     * alone, and for ten minutes.
     */
    async password(given: {
      name: string;
      password: string;
      from: string;
      agent: string;
    }): Promise<{ is: 'in'; token: string; owes: Owes } | Refused> {
      const name = typedName(given.name);
      const found = await tryPassword(name, given.password, given.from);
      if (found.is !== 'right') return found;
      const { user, counted } = found.taken;
      const token = makeToken();
      const begun = await begin(
        [
          await sessionKey(token),
          keys.user(name),
          keys.sessionsOf(name),
          counted.account,
          counted.known,
          counted.place,
        ],
        [
          found.epoch,
          beginnings.session,
          name,
          given.from.slice(0, MAX_FROM),
          given.agent.slice(0, MAX_AGENT),
          halfMs,
          idleMs,
          absoluteMs,
          most,
          guesses.knownMs,
          counted.backMs,
        ],
      );
      // Removed, or given another password, at this moment.
      if (begun === 'gone') return { is: 'no' };
      return { is: 'in', token, owes: begun === 'code' ? 'code' : owedBy(user) };
    },

    /** The second half: a code of the app, or a recovery code. The session goes on under another token. */
    async code(given: {
      token: string;
      code: string;
      from: string;
    }): Promise<{ is: 'in'; token: string } | { is: 'no' } | { is: 'later'; afterS: number }> {
      const half = isToken(given.token) ? await sessions.read(given.token, { counts: false }) : undefined;
      if (half?.owes !== 'code') return { is: 'no' };
      const name = half.person.by;
      const taken = await guesses.take('code', name, given.from);
      if (taken.is === 'later') return taken;
      const matched = await matchOwn(given.code, name, taken.user);
      if (matched === undefined) return { is: 'no' };
      const token = makeToken();
      const { account, known, place, backMs } = taken.counted;
      const accepted = await acceptCode(
        [
          await sessionKey(given.token),
          await sessionKey(token),
          keys.user(name),
          keys.sessionsOf(name),
          account,
          known,
          place,
        ],
        [
          beginnings.user,
          beginnings.session,
          name,
          matched.step,
          matched.digest,
          idleMs,
          absoluteMs,
          most,
          guesses.knownMs,
          // The password's try as well as the code's: both were right.
          2 * backMs,
        ],
      );
      return accepted === 1 ? { is: 'in', token } : { is: 'no' };
    },

    /** Both halves at once, and no session: for the command line. `owes`: there is something to do in the console first. */
    async check(given: {
      name: string;
      password: string;
      code: string;
      from: string;
    }): Promise<{ is: 'ok'; person: Person } | { is: 'owes' } | Refused> {
      const name = typedName(given.name);
      const found = await tryPassword(name, given.password, given.from);
      if (found.is !== 'right') return found;
      const { user } = found.taken;
      const codes = user.factor === undefined ? undefined : await guesses.take('code', name, given.from);
      if (codes?.is === 'later') return codes;
      const matched = codes === undefined ? undefined : await matchOwn(given.code, name, user);
      if (codes !== undefined && matched === undefined) return { is: 'no' };
      if (!(await accept(name, found, matched, codes))) return { is: 'no' };
      const owes = user.mustChange || (codes === undefined && owedBy(user) !== undefined);
      return owes ? { is: 'owes' } : { is: 'ok', person: { by: name, roles: rolesOf(user.roles) } };
    },

    /** The password once more, of somebody who is signed in, before something that needs it (ASVS 5.0, 7.5.3). */
    async again(given: {
      name: string;
      password: string;
      from: string;
    }): Promise<{ is: 'ok'; digest: string } | Refused> {
      const found = await tryPassword(given.name, given.password, given.from);
      if (found.is !== 'right') return found;
      if (!(await accept(given.name, found, undefined, undefined))) return { is: 'no' };
      return { is: 'ok', digest: found.taken.user.password ?? '' };
    },
  };

  async function matchOwn(code: string, name: string, { factor }: TriedUser) {
    return factor === undefined ? undefined : await matchCode(code, { name, factor, nowMs: now() }, secret);
  }
}

export type SignIn = ReturnType<typeof makeSignIn>;

type RightPassword = { is: 'right'; taken: Taken; epoch: string };

/** What a user without a second factor owes: see session-standing.lua. */
function owedBy({ mustChange, roles }: TriedUser): Owes {
  if (mustChange) return 'password';
  return roles === 'viewer' ? undefined : 'factor';
}

/** What is longer than any password may be is compared by its beginning, and is wrong whatever comes of it. */
function cut(password: string): string {
  return isOfPossibleLength(password) ? password : password.slice(0, 100);
}
