import { randomBytes } from 'node:crypto';
import type { TokenSettings } from './fault-settings.ts';

export type Tokens = ReturnType<typeof makeTokens>;

/** Enough for any test. A client that asks for a token before each call does not grow memory without limit. */
const TOKENS_KEPT = 10_000;

/**
 * The access tokens of this process. After a restart, an old token is answered with 401, which every client must handle
 * anyway.
 *
 * @param nowMs a monotonic clock
 */
export function makeTokens({ nowMs = () => performance.now() }: { nowMs?: () => number } = {}) {
  const known = new Map<string, { diesAtMs: number; callsLeft: number }>();

  return {
    /** The answer to a token call. Its field names are not documented; these are RFC 6749's (section 5.1). */
    issue({ field, lifetimeS, diesAfterS, diesAfterCalls }: TokenSettings): Record<string, unknown> {
      const token = `standin_${randomBytes(24).toString('base64url')}`;
      const livesS = diesAfterS ?? lifetimeS ?? Number.POSITIVE_INFINITY;
      known.set(token, {
        diesAtMs: nowMs() + livesS * 1_000,
        callsLeft: diesAfterCalls ?? Number.POSITIVE_INFINITY,
      });
      for (const oldest of known.keys()) {
        if (known.size <= TOKENS_KEPT) break;
        known.delete(oldest);
      }
      return { [field]: token, token_type: 'Bearer', ...(lifetimeS === null ? {} : { expires_in: lifetimeS }) };
    },

    /** Counts a call with the token of an `authorization` header; false if that token is missing or expired. */
    admit(authorization: string | undefined): boolean {
      const token = authorization?.match(/^Bearer (\S+)$/i)?.[1];
      const state = token && known.get(token);
      if (!state || state.callsLeft <= 0 || nowMs() >= state.diesAtMs) return false;
      state.callsLeft -= 1;
      return true;
    },
  };
}
