import type { SharedKeys } from '../../ledger/schema/keys.ts';
import type { RedisConnection } from '../../lua-script.ts';
import { matchCode } from '../factor/match-code.ts';
import { peopleScript } from '../people-script.ts';
import type { Secret } from '../secret.ts';
import type { SessionLimits } from '../sessions/session-limits.ts';
import { keyBeginnings, MAX_AGENT, MAX_FROM, type Owes, type Sessions } from '../sessions/sessions.ts';
import { digestOfToken, isToken, makeToken } from '../sessions/token.ts';
import { makeEpoch, typedName } from '../users/user.ts';
import { type Guesses, owedWithoutFactor } from './guesses.ts';
import type { RefusedSignIn, TryPassword } from './try-password.ts';

/**
 * Signing in: with a password first and then, where the user has one, with a code of the second factor. What is wrong is told in
 * the same words and after the same work whether or not there is such a user (ASVS 5.0, 6.3.8).
 */
export function makeSignIn({
  connection,
  keys,
  secret,
  guesses,
  tryPassword,
  sessions,
  limits,
  now,
}: {
  connection: RedisConnection;
  keys: SharedKeys;
  secret: Pick<Secret, 'key'>;
  guesses: Guesses;
  tryPassword: TryPassword;
  sessions: Pick<Sessions, 'read'>;
  limits: SessionLimits;
  now: () => number;
}) {
  const begin = peopleScript(connection, 'begin-session');
  const acceptCode = peopleScript(connection, 'accept-code');
  const { idleMs, absoluteMs, halfMs, most } = limits;
  const beginnings = keyBeginnings(keys);
  const sessionKey = async (token: string) => keys.session(digestOfToken(token, await secret.key('sessions')));

  return {
    /**
     * The first half: name and password. With a second factor the session that `token` stands for is good for the code alone,
     * and for ten minutes.
     */
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
      // Removed, or given another password, at this moment.
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
          // The password's try of this place as well as the code's: both were right.
          ...[idleMs, absoluteMs, most, guesses.knownMs, 2 * backMs],
        ],
      );
      return accepted === 1 ? { is: 'in', token } : { is: 'no' };
    },
  };
}
