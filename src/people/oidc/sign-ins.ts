import { createHash, randomBytes } from 'node:crypto';
import type { RedisConnection } from '../../lua-script.ts';
import { writeAnyway } from '../../redis-memory/write-anyway.ts';

/** A person at the provider's page has so long; what a provider asks of them (a telephone, a new password) is done by then. */
export const UNDER_WAY_S = 600;

/** What a browser that begins is given, and brings back. */
const BROWSER = /^[\w-]{43}$/;

/** What somebody signs in anew for who has a session: an approval, whose session it is, and since when. */
export type Anew = { approval: string; by: string; session: string; beganS: number };

/** A sign-in that is under way. */
export type SignIn = { nonce: string; verifier: string; to: string; anew?: Anew | undefined };

/** Names a browser: 256 random bits, for a cookie. One that has such a name keeps it, so that two of its tabs can sign in. */
export function browserName(given: string | undefined): string {
  return given !== undefined && BROWSER.test(given) ? given : randomBytes(32).toString('base64url');
}

/**
 * Sign-ins that are under way, in Redis, so that one that began at one host of ours can end at another. Each is found by the
 * browser that began it together with its `state`, and once: an answer that is brought by another browser (CSRF, mix-up) or
 * comes again finds nothing.
 */
export function makeSignIns({
  connection,
  keys,
}: {
  connection: RedisConnection;
  keys: { signIn: (digest: string) => string };
}) {
  // What stands in Redis is worth nothing to who reads it there: the browser's half is its digest alone.
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
