import { createHash, randomBytes } from 'node:crypto';
import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/memory.ts';

/** Time for the provider's page, including extra steps such as a phone or a new password. */
export const UNDER_WAY_S = 600;

/** Form of a browser's name, which is the value in its cookie. */
const BROWSER = /^[\w-]{43}$/;

/** Why a person with a session signs in again: for which approval, whose session it is, and since when. */
export type Anew = { approval: string; by: string; session: string; beganS: number };

/** A sign-in that is under way. */
type SignIn = { nonce: string; verifier: string; to: string; anew?: Anew | undefined };

/** The name of a browser, for a cookie: 256 random bits. An existing name is kept, so that two tabs can sign in. */
export function browserName(given: string | undefined): string {
  return given !== undefined && BROWSER.test(given) ? given : randomBytes(32).toString('base64url');
}

/**
 * Sign-ins that are under way, in Redis, so that they can end at another host than they began. Each is found once, by its browser and its
 * `state` together: a response that comes with another browser (CSRF, mix-up) or again finds nothing.
 */
export function makeSignIns({
  connection,
  keys,
}: {
  connection: RedisConnection;
  keys: { signIn: (digest: string) => string };
}) {
  // Redis only has a digest of the browser's name and `state`, so that a reader of Redis cannot end somebody's sign-in.
  const keyOf = (browser: string, state: string): string =>
    keys.signIn(createHash('sha256').update(`${browser} ${state}`).digest('hex'));
  return {
    async begin(browser: string, { state, ...signIn }: SignIn & { state: string }): Promise<void> {
      await writeAnyway(connection, 'SET', keyOf(browser, state), JSON.stringify(signIn), 'EX', UNDER_WAY_S);
    },
    async take(browser: string | undefined, state: string | null): Promise<SignIn | undefined> {
      if (browser === undefined || !BROWSER.test(browser) || state === null) return undefined;
      const text = await connection.getdel(keyOf(browser, state));
      return text === null ? undefined : (JSON.parse(text) as SignIn);
    },
  };
}
