/**
 * The answer of a limiter: whether the request passed, its headers, and how long the request waited first. The status
 * of an `unnamed` refusal only means that nothing was made.
 */
export type LimiterAnswer = { allowed: boolean; headers: Record<string, string>; delayMs?: number; unnamed?: boolean };

/** A rate limiter of another project. It is called for each request in the order of arrival, with epoch ms. */
export type ForeignLimiter = (nowMs: number) => LimiterAnswer;

/** A window of so many calls. */
type Window = { quota: number; windowS: number };

/** The headers of an answer: from the calls left in the window, its end, and whether this request passed. */
type Words = (
  state: { left: number; endMs: number; nowMs: number; allowed: boolean },
  window: Window,
) => Record<string, string>;

/**
 * Windows as express-rate-limit 8, `@fastify/rate-limit` 11 and rate-limiter-flexible 11 count them in memory. A window
 * begins with the first request after the end of the last one, so each window lasts longer than stated by the time
 * until the next request.
 */
export function makeForeignWindow(window: Window, words: Words): ForeignLimiter {
  let endMs = 0;
  let used = 0;
  return (nowMs) => {
    if (nowMs >= endMs) {
      endMs = nowMs + window.windowS * 1_000;
      used = 0;
    }
    used += 1;
    const allowed = used <= window.quota;
    const state = { left: Math.max(0, window.quota - used), endMs, nowMs, allowed };
    return { allowed, headers: { date: new Date(nowMs).toUTCString(), ...words(state, window) } };
  };
}

/** The headers of each limiter at its version of late 2026. Seconds are rounded up. */
export const FOREIGN_WORDS = {
  /** express-rate-limit with `standardHeaders: 'draft-6'`. */
  'draft 6': ({ left, ...state }, { quota, windowS }) => ({
    'ratelimit-policy': `${quota};w=${windowS}`,
    'ratelimit-limit': String(quota),
    'ratelimit-remaining': String(left),
    'ratelimit-reset': String(secondsLeft(state)),
    ...retryAfter(state),
  }),
  'draft 7': ({ left, ...state }, { quota, windowS }) => ({
    'ratelimit-policy': `${quota};w=${windowS}`,
    ratelimit: `limit=${quota}, remaining=${left}, reset=${secondsLeft(state)}`,
    ...retryAfter(state),
  }),
  'draft 8': ({ left, ...state }, { quota, windowS }) => ({
    'ratelimit-policy': `"${quota}-in-${windowS}sec"; q=${quota}; w=${windowS}; pk=:MTJjYTE3YjQ5YWYy:`,
    ratelimit: `"${quota}-in-${windowS}sec"; r=${left}; t=${secondsLeft(state)}`,
    ...retryAfter(state),
  }),
  /** express-rate-limit with its defaults: the end as a time of day. */
  legacy: ({ left, ...state }, { quota }) => ({
    'x-ratelimit-limit': String(quota),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(state.endMs / 1_000)),
    ...retryAfter(state),
  }),
  /** `@fastify/rate-limit`. */
  fastify: ({ left, ...state }, { quota }) => ({
    'x-ratelimit-limit': String(quota),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(secondsLeft(state)),
    ...retryAfter(state),
  }),
  /** As in the README of rate-limiter-flexible: headers on every answer, and fractional seconds to wait on refusals. */
  flexible: ({ left, allowed, endMs, nowMs }, { quota }) => ({
    ...(allowed ? {} : { 'retry-after': String((endMs - nowMs) / 1_000) }),
    'x-ratelimit-limit': String(quota),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(endMs / 1_000)),
  }),
  /** The same headers, on refusals only. */
  'flexible refusals': (state, window): Record<string, string> =>
    state.allowed ? {} : FOREIGN_WORDS.flexible(state, window),
  /** express-rate-limit without headers, and others: a plain 429. */
  silent: () => ({}),
} satisfies Record<string, Words>;

/**
 * `limit_req` of nginx: a leaky bucket of so many calls above the rate, in whole ms. With `nodelay` these calls pass at
 * once, otherwise they wait until the bucket has drained. It sends no headers.
 */
export function makeLimitReq(given: { perS: number; burst: number; nodelay: boolean }): ForeignLimiter {
  const { perS, burst, nodelay } = given;
  let excess = 0;
  let lastMs: number | undefined;
  return (nowMs) => {
    const drained = lastMs === undefined ? 0 : Math.max(0, excess - ((nowMs - lastMs) * perS) / 1_000 + 1);
    if (drained > burst) return { allowed: false, headers: {} };
    excess = drained;
    lastMs = nowMs;
    return { allowed: true, headers: {}, delayMs: nodelay ? 0 : (excess / perS) * 1_000 };
  };
}

type Times = { endMs: number; nowMs: number; allowed: boolean };

function secondsLeft({ endMs, nowMs }: Times): number {
  return Math.max(0, Math.ceil((endMs - nowMs) / 1_000));
}

function retryAfter(times: Times): Record<string, string> {
  return times.allowed ? {} : { 'retry-after': String(secondsLeft(times)) };
}
