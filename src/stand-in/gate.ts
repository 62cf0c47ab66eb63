import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Faults, RateLimitSettings, TokenSettings } from './fault-settings.ts';
import { errorAnswer, type StandInAnswer } from './resource-endpoints.ts';

export type RequestGate = ReturnType<typeof makeRequestGate>;

/** The checks before a request's body is read: outage, credentials, rate limit, headers. */
export function makeRequestGate({ faults, tokens }: { faults: Faults; tokens: Tokens }) {
  const bucket = makeBucket();

  /** Whether the rate limit refuses the request. Counts the request, and sets the rate limit headers on its answer. */
  const refusedByRate = (reply: FastifyReply): boolean => {
    const { rateLimit } = faults.settings();
    if (!rateLimit) return false;
    const passage = bucket.pass(rateLimit, performance.now());
    reply.headers(rateLimitHeaders(rateLimit, passage, Date.now()));
    return !passage.allowed;
  };

  const outage = (): StandInAnswer | undefined =>
    faults.settings().outage ? errorAnswer(503, 'unavailable', 'out of service on demand') : undefined;

  return {
    /**
     * The refusal of a token call, or `undefined` if it may continue: during an outage, or for a bearer header, which it must not have
     * (docs/service.md, "Calls").
     */
    token({ headers }: FastifyRequest): StandInAnswer | undefined {
      return (
        outage() ??
        (headers.authorization ? errorAnswer(400, 'invalid_request', 'a bearer header is not allowed here') : undefined)
      );
    },

    /** @returns a refusal, or `undefined` if the request may continue */
    resource({ headers }: FastifyRequest, reply: FastifyReply): StandInAnswer | undefined {
      const down = outage();
      if (down) return down;
      if (!tokens.admit(headers.authorization)) return errorAnswer(401, 'unauthorized', 'no valid token');
      if (refusedByRate(reply)) return errorAnswer(429, 'rate_limited', 'too many requests');
      if (!headers.accept?.includes('application/json')) {
        return errorAnswer(406, 'not_acceptable', 'accept: application/json is needed');
      }
      return undefined;
    },
  };
}

export type Tokens = ReturnType<typeof makeTokens>;

/** The most tokens that are known at a time: enough for any test, and a limit to memory if a client asks before each call. */
const TOKENS_KEPT = 10_000;

/**
 * The access tokens of this process. After a restart, an old token is answered with 401, which every client must handle anyway.
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
      known.set(token, { diesAtMs: nowMs() + livesS * 1_000, callsLeft: diesAfterCalls ?? Number.POSITIVE_INFINITY });
      for (const oldest of known.keys()) {
        if (known.size <= TOKENS_KEPT) break;
        known.delete(oldest);
      }
      return { [field]: token, token_type: 'Bearer', ...(lifetimeS === null ? {} : { expires_in: lifetimeS }) };
    },

    /** Counts a call with the token of an `authorization` header; false if the token is missing, expired or used up. */
    admit(authorization: string | undefined): boolean {
      const token = authorization?.match(/^Bearer (\S+)$/i)?.[1];
      const state = token && known.get(token);
      if (!state || state.callsLeft <= 0 || nowMs() >= state.diesAtMs) return false;
      state.callsLeft -= 1;
      return true;
    },
  };
}

/** The result of one request at the rate limit. Times are from now, in seconds and unrounded. */
export type Passage = { allowed: boolean; remaining: number; nextInS: number; fullInS: number };

/**
 * A token bucket, full at the start. The settings come with each request, so they may change; the current level is
 * kept. A refused request takes nothing out.
 *
 * `pass` needs a monotonic clock.
 */
export function makeBucket() {
  let level = Number.POSITIVE_INFINITY;
  let atMs = 0;
  return {
    pass(settings: RateLimitSettings, nowMs: number): Passage {
      const { perS } = settings;
      const size = sizeOf(settings);
      level = Math.min(size, level + ((nowMs - atMs) / 1_000) * perS);
      atMs = nowMs;
      const allowed = level >= 1;
      if (allowed) level -= 1;
      return {
        allowed,
        remaining: Math.floor(level),
        nextInS: Math.max(0, 1 - level) / perS,
        fullInS: (size - level) / perS,
      };
    },
  };
}

/**
 * Headers with which real services describe their rate limit; this service documents none. The Retry-After families (RFC 9110, section
 * 10.2.3) occur only in refusals, the others in every answer: `ratelimit` is the IETF's pair (draft-ietf-httpapi-ratelimit-headers),
 * `ratelimit-older` its earlier three, `x-ratelimit-…` the same three with the reset time in the named form.
 *
 * Times are rounded up, so a client that waits for so long is not refused again.
 */
export function rateLimitHeaders(
  settings: RateLimitSettings,
  passage: Passage,
  nowEpochMs: number,
): Record<string, string> {
  const { allowed, remaining } = passage;
  const resetInS = allowed ? passage.fullInS : passage.nextInS;
  const windowS = Math.max(1, Math.ceil(sizeOf(settings) / settings.perS));
  const quota = Math.max(1, Math.floor(settings.perS * windowS));
  const wholeS = String(Math.ceil(resetInS));
  const resetAtMs = Math.ceil(nowEpochMs + resetInS * 1_000);
  const resetAtS = Math.ceil(resetAtMs / 1_000);
  const three = (prefix: string, reset: string) => ({
    [`${prefix}-limit`]: String(quota),
    [`${prefix}-remaining`]: String(remaining),
    [`${prefix}-reset`]: reset,
  });
  switch (settings.headers) {
    case 'none':
      return {};
    case 'retry-after-seconds':
      return allowed ? {} : { 'retry-after': wholeS };
    case 'retry-after-date':
      return allowed ? {} : { 'retry-after': new Date(resetAtS * 1_000).toUTCString() };
    case 'ratelimit':
      return {
        'ratelimit-policy': `"default";q=${quota};w=${windowS}`,
        ratelimit: `"default";r=${remaining};t=${wholeS}`,
      };
    case 'ratelimit-older':
      return three('ratelimit', wholeS);
    case 'x-ratelimit-seconds':
      return three('x-ratelimit', wholeS);
    case 'x-ratelimit-epoch-s':
      return three('x-ratelimit', String(resetAtS));
    case 'x-ratelimit-epoch-ms':
      return three('x-ratelimit', String(resetAtMs));
    case 'x-ratelimit-iso':
      return three('x-ratelimit', new Date(resetAtMs).toISOString());
  }
}

/** The size of the bucket: at least one request, since a smaller bucket would never let any pass. */
const sizeOf = ({ perS, burst }: RateLimitSettings): number => burst ?? Math.max(1, Math.ceil(perS));
