import { argon2Sync, randomBytes } from 'node:crypto';
import { TOTP } from 'otpauth';
import { makeSharedKeys } from '../../src/ledger/schema/keys.ts';
import { makePeople } from '../../src/people/people.ts';
import type { Role } from '../../src/people/person.ts';
import { makeSecret } from '../../src/people/secret.ts';
import { SESSION_LIMITS, type SessionLimits } from '../../src/people/sessions/sessions.ts';
import { GUESS_LIMITS, type GuessLimits } from '../../src/people/sign-in/guesses.ts';
import { connectRedis, freshPrefix } from './ledger.ts';

export const PASSWORD = 'a bench under seven trees';

/** The secret of test installations, for `LIMITLINE_SECRET` when a command shares their users. */
export const SECRET = 'the-secret-of-an-installation-of-tests';

/** The address and browser of a known visitor. */
export const HERE = { from: '192.0.2.7', agent: 'a browser' };

/** A password digest that takes no time, for the many tests around it. */
export async function cheapHash(password: string): Promise<string> {
  const salt = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1 };
  const tag = argon2Sync('argon2id', { ...cost, message: password, nonce: salt, tagLength: 32 });
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${saltText}$${tagText}`;
}

/** The users of an installation of this test, with a clock that the test can move for codes. */
export function openPeople(
  given: {
    prefix?: string;
    limits?: Partial<SessionLimits>;
    guesses?: Partial<GuessLimits>;
    initialMs?: number;
    hash?: (password: string) => Promise<string>;
  } = {},
) {
  const { prefix = freshPrefix(), limits = {}, guesses = {}, initialMs, hash = cheapHash } = given;
  const connection = connectRedis();
  const keys = makeSharedKeys(prefix);
  const secret = makeSecret({ given: SECRET, dataDir: '/nowhere', connection, keys, prefix, where: 'Redis' });
  // The middle of a time step of codes, so that no step ends during a test.
  const clock = { nowMs: (Math.floor(Date.now() / 30_000) + 0.5) * 30_000 };
  const people = makePeople({
    connection,
    keys,
    secret,
    now: () => clock.nowMs,
    sessionLimits: { ...SESSION_LIMITS, ...limits },
    hash,
    guessLimits: { ...GUESS_LIMITS, ...guesses },
    ...(initialMs === undefined ? {} : { initialMs }),
  });

  /** Adds a user with a password. */
  const addUser = (name: string, roles: readonly Role[] = ['viewer'], password = PASSWORD) =>
    people.users.add({ name, roles, password, mustChange: false });

  /** Sets a second factor like an authenticator app, whose codes are valid once. */
  const setFactor = async (name: string, keep?: string) => {
    const { secret: base32 } = await people.users.beginFactor(name);
    const app = new TOTP({ secret: base32 });
    const code = () => app.generate({ timestamp: clock.nowMs });
    const recoveryCodes = await people.users.confirmFactor(name, code(), { keep });
    return {
      secret: base32,
      recoveryCodes: recoveryCodes ?? [],
      /** The code of the next step, because the current one may have been used. */
      nextCode: () => {
        clock.nowMs += 30_000;
        return code();
      },
      code,
    };
  };

  /** Signs in with the password only. */
  const signIn = async (name: string, password = PASSWORD, place = HERE) => {
    const answer = await people.signIn.password({ name, password, ...place });
    if (answer.is !== 'in') throw new Error(`${name} is not let in: ${answer.is}`);
    return answer;
  };

  return { connection, keys, secret, people, clock, prefix, addUser, setFactor, signIn };
}
