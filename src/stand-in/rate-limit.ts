import type { RateLimitSettings } from './fault-settings.ts';

/** What became of one request at the rate limit. Times are from now, in seconds and unrounded. */
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
 * Headers with which real services describe their rate limit; this service documents none. The Retry-After families
 * (RFC 9110, section 10.2.3) occur only in refusals, the others in every answer: `ratelimit` is the IETF's pair
 * (draft-ietf-httpapi-ratelimit-headers), `ratelimit-older` its earlier three, `x-ratelimit-…` the same three with the
 * reset time in the named form.
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

/** A bucket smaller than one request would never let one pass. */
function sizeOf({ perS, burst }: RateLimitSettings): number {
  return burst ?? Math.max(1, Math.ceil(perS));
}
