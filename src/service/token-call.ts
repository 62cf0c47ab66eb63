import { LimitlineError, messageOf } from '../errors.ts';
import type { Outlet } from './outlet.ts';
import { SERVICE_PATHS } from './schemas.ts';
import type { Granted } from './token.ts';

/** Answers that speak of the moment, not of the credentials. */
const PASSING = new Set([408, 429]);

/**
 * The bounds of what an `expires_in` is believed. A token that is said to live for longer than a day is asked for anew
 * after a day: so a life that was written in milliseconds, or without bound, keeps no withdrawn token for ever, and
 * Redis can hold it. One of less than a second would cost a token call for every call: it counts as not stated.
 */
const LIFETIME_MIN_S = 1;
const LIFETIME_MAX_S = 86_400;

/**
 * Makes the token call: form-encoded, grant type `client_credentials` (RFC 6749, section 4.4). The names of the answer's
 * fields are not shown by the service, so the token's is a setting and `expires_in` is used only where it is a number, of a second at least; see {@link LIFETIME_MAX_S}.
 *
 * The call rejects with `CREDENTIALS` when they are refused (by a proxy too) or the answer has no token, with `SERVICE` when the
 * endpoint does not answer for now. It makes nothing, so it may always be repeated.
 */
export function makeTokenCall(options: {
  outlet: Outlet;
  url: string;
  basePath: string;
  clientId: string;
  clientSecret: string;
  tokenField: string;
  tokenLifetimeMs: number;
  timeoutMs: number;
}): () => Promise<Granted> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: options.clientId,
    client_secret: options.clientSecret,
  }).toString();

  return async () => {
    const heard = await options.outlet.send({
      path: options.basePath + SERVICE_PATHS.token,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form,
      timeoutMs: options.timeoutMs,
    });
    if (heard.is === 'silence') {
      throw new LimitlineError('SERVICE', `No token: ${options.url} does not answer (${messageOf(heard.error)}).`, {
        cause: heard.error,
      });
    }
    if (heard.status >= 500 || PASSING.has(heard.status)) {
      throw new LimitlineError('SERVICE', `No token for now: ${options.url} answered ${heard.status}.`);
    }
    if (heard.status < 200 || heard.status >= 300) {
      throw new LimitlineError(
        'CREDENTIALS',
        `${options.url} refuses the credentials with status ${heard.status}; check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, and that SERVICE_URL is the address they belong to.`,
      );
    }
    return readGrant(heard.text, options);
  };
}

function readGrant(
  text: string,
  { tokenField, tokenLifetimeMs }: { tokenField: string; tokenLifetimeMs: number },
): Granted {
  let answer: Record<string, unknown> = {};
  try {
    answer = Object(JSON.parse(text));
  } catch {
    // Not JSON: reported below like an answer without the field.
  }
  const value = answer[tokenField];
  if (typeof value !== 'string' || value === '') {
    const fields = Object.keys(answer).join(', ') || 'none';
    throw new LimitlineError(
      'CREDENTIALS',
      `The token answer has no field "${tokenField}" (its fields: ${fields}); set SERVICE_TOKEN_FIELD to the one that holds the token.`,
    );
  }
  return { value, lifetimeMs: lifetimeOf(answer.expires_in) ?? tokenLifetimeMs };
}

/** What RFC 6749 has as a number, some services write as text. */
function lifetimeOf(expiresIn: unknown): number | undefined {
  const seconds = typeof expiresIn === 'number' || typeof expiresIn === 'string' ? Number(expiresIn) : Number.NaN;
  return seconds >= LIFETIME_MIN_S ? Math.min(seconds, LIFETIME_MAX_S) * 1_000 : undefined;
}
