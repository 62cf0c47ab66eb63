/**
 * What a limiter answers: whether the request passed, with which headers, and for how long it was kept waiting first. A refusal
 * that is `unnamed` has a status that says no more than that nothing was made.
 */
export type LimiterAnswer = { allowed: boolean; headers: Record<string, string>; delayMs?: number; unnamed?: boolean };

/** A limiter that somebody else wrote, asked for each request in the order in which they arrive; epoch ms. */
export type ForeignLimiter = (nowMs: number) => LimiterAnswer;

/** A window of so many calls, and how it is told of. */
type Window = { quota: number; windowS: number };

/** How its answers speak of a window: what is left of it, when it ends, and whether this request passed. */
type Words = (
  state: { left: number; endMs: number; nowMs: number; allowed: boolean },
  window: Window,
) => Record<string, string>;

/**
 * Windows as express-rate-limit 8, `@fastify/rate-limit` 11 and rate-limiter-flexible 11 count them in memory: one begins with the
 * first request after the last has ended, so each is longer than it says by the time until somebody asks.
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

/** How each of them writes its headers, at its version of late 2026. Seconds are rounded up. */
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
  /** express-rate-limit as it comes: the end as a time of day. */
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
  /** As rate-limiter-flexible's README has it: a fraction of seconds to wait, with every answer that refuses. */
  flexible: ({ left, allowed, endMs, nowMs }, { quota }) => ({
    ...(allowed ? {} : { 'retry-after': String((endMs - nowMs) / 1_000) }),
    'x-ratelimit-limit': String(quota),
    'x-ratelimit-remaining': String(left),
    'x-ratelimit-reset': String(Math.ceil(endMs / 1_000)),
  }),
  /** The same, said by refusals alone. */
  'flexible refusals': (state, window): Record<string, string> =>
    state.allowed ? {} : FOREIGN_WORDS.flexible(state, window),
  /** express-rate-limit with both families off, and others: 429 and no more. */
  silent: () => ({}),
} satisfies Record<string, Words>;

/**
 * nginx' `limit_req`: a leaky bucket of so many calls above the rate, in whole ms. With `nodelay` they pass at once, without
 * it they wait until the bucket has drained to them. It says nothing of itself.
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
