import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { type MatchedCode, matchCode } from '../factor/factors.ts';
import type { HashQueue } from '../passwords/hash-queue.ts';
import { verifyPassword } from '../passwords/password-hash.ts';
import { isOfPossibleLength, normalPassword } from '../passwords/password-rules.ts';
import { peopleScript } from '../people-script.ts';
import type { Person } from '../person.ts';
import type { Secret } from '../secret.ts';
import type { Owes, SessionLimits, Sessions } from '../sessions/sessions.ts';
import { keyBeginnings, MAX_AGENT, MAX_FROM } from '../sessions/sessions.ts';
import { digestOfToken, isToken, makeToken } from '../sessions/token.ts';
import { makeEpoch, rolesOf, typedName } from '../users/user.ts';
import { addressGroups } from './address-group.ts';
import { type Guesses, owedWithoutFactor, type Try } from './guesses.ts';

type ProofDeps = {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  guesses: Guesses;
  tryPassword: TryPassword;
  now: () => number;
};

/**
 * Signing in: with a password, and then with a code if the user has a second factor. A failure gives the same words after the same work
 * whether or not there is such a user (ASVS 5.0, 6.3.8).
 */
export function makeSignIn(asked: ProofDeps & { sessions: Pick<Sessions, 'read'>; limits: SessionLimits }) {
  const { connection, keys, secret, guesses, tryPassword, sessions, limits, now } = asked;
  const begin = peopleScript(connection, 'sign-in', 'begin-session');
  const acceptCode = peopleScript(connection, 'sign-in', 'accept-code');
  const { idleMs, absoluteMs, halfMs, most } = limits;
  const beginnings = keyBeginnings(keys);
  const sessionKey = async (token: string) => keys.session(digestOfToken(token, await secret.key('sessions')));

  return {
    /** The first half: name and password. With a second factor the session of `token` is only valid for giving the code, for ten minutes. */
    async password(given: {
      name: string;
      password: string;
      from: string;
      agent: string;
      /** The id of a browser in which this person signed in before. */
      device?: string | undefined;
    }): Promise<{ is: 'in'; token: string; owes: Owes } | RefusedSignIn> {
      const name = typedName(given.name);
      const found = await tryPassword(name, given.password, given.from, given.device);
      if (found.is !== 'right') return found;
      const { user, counted } = found.taken;
      const token = makeToken();
      const place = [given.from.slice(0, MAX_FROM), given.agent.slice(0, MAX_AGENT)];
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
          ...[found.epoch, beginnings.session, name, ...place],
          ...[halfMs, idleMs, absoluteMs, most, guesses.knownMs, counted.backMs, makeEpoch()],
        ],
      );
      // The user was removed, or got another password or role, at this moment.
      if (begun === 'gone') return { is: 'no' };
      return { is: 'in', token, owes: begun === 'code' ? 'code' : owedWithoutFactor(user) };
    },

    /** The second half: a code of the app, or a recovery code. The session goes on under another token. */
    async code(given: {
      token: string;
      code: string;
      from: string;
      device?: string | undefined;
    }): Promise<{ is: 'in'; token: string } | Exclude<RefusedSignIn, { is: 'busy' }>> {
      const half = isToken(given.token) ? await sessions.read(given.token, { counts: false }) : undefined;
      if (half?.owes !== 'code') return { is: 'no' };
      const name = half.person.by;
      const taken = await guesses.takeCode(name, given.from, given.device);
      if (taken.is === 'later') return taken;
      const { factor } = taken.user;
      const matched = factor && (await matchCode(given.code, { name, factor, nowMs: now() }, secret));
      if (!matched) return { is: 'no' };
      const token = makeToken();
      const { account, known, place, backMs } = taken.counted;
      const [before, after] = await Promise.all([sessionKey(given.token), sessionKey(token)]);
      const accepted = await acceptCode(
        [before, after, keys.user(name), keys.sessionsOf(name), account, known, place],
        [
          ...[beginnings.user, beginnings.session, name, matched.step, matched.digest],
          // Gives back two attempts of this address, the password's and the code's, since both were right.
          ...[idleMs, absoluteMs, most, guesses.knownMs, 2 * backMs],
        ],
      );
      return accepted === 1 ? { is: 'in', token } : { is: 'no' };
    },
  };
}

/** Checks a person's identity without a session: on the command line, and again before a sensitive action. */
export function makeProve({ connection, keys, secret, guesses, tryPassword, now }: ProofDeps) {
  const acceptCheck = peopleScript(connection, 'sign-in', 'accept-check');

  /** Takes back the count of a right attempt, and uses up its code; false if the code was used before, or the user has changed since. */
  const accept = async (
    name: string,
    { taken, epoch }: RightPassword,
    code?: { tried: TakenTry; matched: MatchedCode },
  ): Promise<boolean> => {
    const { account, known, place, backMs } = taken.counted;
    const { step = '', digest = '' } = code?.matched ?? {};
    const bothMs = backMs + (code?.tried.counted.backMs ?? 0);
    const accepted = await acceptCheck(
      [keys.user(name), account, code?.tried.counted.account ?? account, known, place],
      [epoch, step, digest, guesses.knownMs, bothMs, code === undefined ? 1 : 0],
    );
    return accepted === 1;
  };

  return {
    /** Checks password and code at once. `owes`: both are right, but the user has to do something in the console first. */
    async check(given: {
      name: string;
      password: string;
      code: string;
      from: string;
    }): Promise<{ is: 'ok'; person: Person } | { is: 'owes' } | RefusedSignIn> {
      const name = typedName(given.name);
      const found = await tryPassword(name, given.password, given.from);
      if (found.is !== 'right') return found;
      const { user } = found.taken;
      const person = { by: name, roles: rolesOf(user.roles) };
      const { factor } = user;
      if (factor === undefined) {
        if (!(await accept(name, found))) return { is: 'no' };
        return owedWithoutFactor(user) === undefined ? { is: 'ok', person } : { is: 'owes' };
      }
      const tried = await guesses.takeCode(name, given.from);
      if (tried.is === 'later') return tried;
      const matched = await matchCode(given.code, { name, factor, nowMs: now() }, secret);
      if (matched === undefined || !(await accept(name, found, { tried, matched }))) return { is: 'no' };
      return user.mustChange ? { is: 'owes' } : { is: 'ok', person };
    },

    /**
     * Checks the password of a signed-in person again, before a sensitive action (ASVS 5.0, 7.5.1 and 7.5.3).
     *
     * @returns the password's digest at that moment, to bind a following change to it
     */
    async again(given: {
      name: string;
      password: string;
      from: string;
    }): Promise<{ is: 'ok'; digest: string } | RefusedSignIn> {
      const found = await tryPassword(given.name, given.password, given.from);
      if (found.is !== 'right') return found;
      if (!(await accept(given.name, found))) return { is: 'no' };
      return { is: 'ok', digest: found.taken.user.password ?? '' };
    },
  };
}

/** `later`: too many wrong attempts. `busy`: too many people at this moment. `no`: wrong name or password, without saying which. */
export type RefusedSignIn = { is: 'no' } | { is: 'later'; afterS: number } | { is: 'busy' };

/** Checks a password: counted first, then queued, and for the same time whether or not there is such a user (ASVS 5.0, 6.3.8). */
export function makeTryPassword({ guesses, queue }: { guesses: Guesses; queue: HashQueue }): TryPassword {
  return async (name, password, from, device) => {
    const network = addressGroups(from).at(-1);
    const taken = await guesses.takePassword(name, from, { onlyKnown: queue.isFull('stranger', network), device });
    if (taken.is !== 'try') return taken;
    const { epoch, password: kept, isExpired } = taken.user;
    const verify = () => verifyPassword(normalPassword(cut(password)), kept);
    const isRight = await queue.run(taken.isKnown ? 'known' : 'stranger', verify, network);
    if (isRight === 'busy') {
      // Somebody else got the last place in the queue in the meantime.
      await guesses.untake(taken.counted);
      return { is: 'busy' };
    }
    if (!isRight || epoch === undefined || isExpired || !isOfPossibleLength(password)) return { is: 'no' };
    return { is: 'right', taken, epoch };
  };
}

type TakenTry = Extract<Try, { is: 'try' }>;

/** The right password of a user, with the user's epoch at that time. The attempt `taken` counts as wrong until it is taken back. */
type RightPassword = { is: 'right'; taken: TakenTry; epoch: string };

type TryPassword = (
  name: string,
  password: string,
  from: string,
  device?: string,
) => Promise<RefusedSignIn | RightPassword>;

/** Cuts a password that is too long, to bound the work; it is wrong in any case. */
const cut = (password: string): string => (isOfPossibleLength(password) ? password : password.slice(0, 100));
