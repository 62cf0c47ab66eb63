import type { AnswerHeaders } from '../answer-headers.ts';
import { HOUR_MS } from '../time-units.ts';

/** What a response's headers state of the service's limit; fields that they do not state are left out. */
export type LimitWords = {
  /** The ms to wait from now, from `Retry-After`. */
  retryAfterMs?: number | undefined;
  /** Calls of a whole window, calls left in it (`remaining`), and ms until it begins anew (`resetMs`). */
  limit?: number | undefined;
  remaining?: number | undefined;
  resetMs?: number | undefined;
  /** Length of the window in seconds, if a policy states one short enough to be a rate of `limit` calls in it. */
  windowS?: number | undefined;
  /** The header whose time exceeded the longest wait and was cut to it. */
  capped?: string;
};

/**
 * Longest wait that is taken from a header, in ms. A longer one is a mistake or an attack: so one response stops all calls for an hour at
 * the most.
 */
const LONGEST_STATED_WAIT_MS = HOUR_MS;

/** Most calls that a header may state; a greater number means that there is no limit. */
const MOST_CALLS = 1_000_000_000;

/**
 * Longest window, in s, that makes a rate. A limit with a longer one, such as 5,000 calls an hour, is a quota: its calls may be used up
 * early.
 */
const LONGEST_RATE_WINDOW_S = 10;

/** Numbers from which a header's time is one since 1970, in s and in ms, and not a duration: both are in 2001. */
const EPOCH_S_FROM = 1e9;
const EPOCH_MS_FROM = 1e12;

/**
 * Reads the limit from a response's headers. Pure; never throws: a malformed field is ignored.
 *
 * - `Retry-After` (RFC 9110, section 10.2.3): seconds or an HTTP date; some services send fractions of a second
 * - `RateLimit` with `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): `"default";r=50;t=30`, `"default";q=100;w=60`; in its
 *   seventh draft `limit=100, remaining=50, reset=30` with `100;w=60`
 * - `RateLimit-Limit`, `-Remaining`, `-Reset` (its older drafts): seconds
 * - `X-RateLimit-…`, `X-Rate-Limit-…`: the reset as seconds left, seconds or milliseconds since 1970, or an ISO date
 *
 * @param theirNowMs the service's present time, for headers with a time of day (see `makeTheirClock`)
 */
export function readLimitWords(headers: AnswerHeaders, theirNowMs: number): LimitWords {
  if (!saysAnything(headers)) return {};
  const words: LimitWords = { ...readPair(headers) };
  for (const prefix of ['ratelimit', 'x-ratelimit', 'x-rate-limit']) {
    words.limit ??= count(fieldOf(headers, `${prefix}-limit`));
    words.remaining ??= count(fieldOf(headers, `${prefix}-remaining`));
    words.resetMs ??= untilReset(fieldOf(headers, `${prefix}-reset`), theirNowMs);
  }
  words.retryAfterMs = retryAfter(fieldOf(headers, 'retry-after'), theirNowMs);
  for (const [name, header] of TIMES) {
    if ((words[name] ?? 0) > LONGEST_STATED_WAIT_MS)
      Object.assign(words, { [name]: LONGEST_STATED_WAIT_MS, capped: header });
  }
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

/** Matches the names of all header fields that can state a limit. */
const NAMES = /^(?:retry-after$|(?:x-)?rate-?limit)/;

/** Whether any field may state a limit. Checked first, since most services send none. */
function saysAnything(headers: AnswerHeaders): boolean {
  for (const name in headers) if (NAMES.test(name)) return true;
  return false;
}

/** The response's `Date` in ms since 1970 (RFC 9110, section 6.6.1), whole seconds; undefined if malformed. */
export function readDate(headers: AnswerHeaders): number | undefined {
  return httpDate(fieldOf(headers, 'date'));
}

const TIMES = [
  ['resetMs', 'the reset of a rate limit'],
  ['retryAfterMs', 'Retry-After'],
] as const;

/**
 * Picks the lowest rate of several policies, or without rates the fewest calls. Of several numbers of calls left, it picks the one with the
 * fewest calls for the time until its reset.
 */
function readPair(headers: AnswerHeaders): LimitWords {
  const policies = items(headers, 'ratelimit-policy').flatMap(({ q, w }) => (q && w ? [{ limit: q, windowS: w }] : []));
  const rates = policies.filter(({ windowS }) => windowS <= LONGEST_RATE_WINDOW_S);
  const rate = leastOf(rates, ({ limit, windowS }) => limit / windowS);
  const rests = items(headers, 'ratelimit').flatMap(({ r, t }) => (r === undefined ? [] : [{ r, t }]));
  const rest = leastOf(rests, ({ r, t = 0 }) => r / Math.max(t, 1));
  return {
    ...(rate ?? { limit: leastOf(policies, ({ limit }) => limit)?.limit }),
    remaining: rest?.r,
    resetMs: rest?.t === undefined ? undefined : rest.t * 1_000,
  };
}

function leastOf<T>(list: readonly T[], measure: (one: T) => number): T | undefined {
  return list.reduce<T | undefined>((least, one) => (least && measure(least) <= measure(one) ? least : one), undefined);
}

/**
 * Parses `"name";q=100;w=60, "other";q=5;w=1` (RFC 8941, only the integers), `100;w=60`, and `limit=100, remaining=50, reset=30` as one
 * item. Items that count other things than requests are left out.
 */
function items(headers: AnswerHeaders, name: string): Record<string, number | undefined>[] {
  const value = headers[name];
  if (value === undefined) return [];
  const text = String(value).slice(0, 1_000);
  const [, remaining] = /(?:^|,)\s*remaining=(\d+)/.exec(text) ?? [];
  if (remaining !== undefined) return [{ r: count(remaining), t: count(/,\s*reset=(\d+)/.exec(text)?.[1]) }];
  return text.split(',').flatMap((item) => {
    if (/;\s*qu\s*=\s*"(?!requests")/.test(item)) return [];
    const parameters: Record<string, number | undefined> = { q: count(/^\s*(\d+)\s*;/.exec(item)?.[1]) };
    for (const [, key = '', digits] of item.matchAll(/;\s*([a-z]+)\s*=\s*(\d+)(?=\s*(?:;|$))/g)) {
      parameters[key] = count(digits);
    }
    return [parameters];
  });
}

function fieldOf(headers: AnswerHeaders, name: string): string | undefined {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value)?.trim() || undefined;
}

/** Reads a number of calls. Some services append the policy: `100, 100;w=60`. */
function count(text: string | undefined): number | undefined {
  const digits = /^(\d+)(?:\s*[,;].*)?$/.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Math.min(Number(digits), MOST_CALLS);
}

function retryAfter(text: string | undefined, theirNowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text) * 1_000;
  return spanUntil(httpDate(text), theirNowMs);
}

function untilReset(text: string | undefined, theirNowMs: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(text)) {
    const value = Number(text);
    if (value >= EPOCH_MS_FROM) return spanUntil(value, theirNowMs);
    if (value >= EPOCH_S_FROM) return spanUntil(value * 1_000, theirNowMs);
    return value * 1_000;
  }
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/.test(text)) return undefined;
  return spanUntil(Date.parse(text), theirNowMs);
}

function spanUntil(atMs: number | undefined, theirNowMs: number): number | undefined {
  return atMs === undefined || Number.isNaN(atMs) ? undefined : Math.max(0, atMs - theirNowMs);
}

/** Reads a time in HTTP's own form only: `Date.parse` alone accepts almost any text. */
function httpDate(text: string | undefined): number | undefined {
  if (!text || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}

/** Content of the responses since this process last reported to Redis: the number of accepted calls, and the limit as the headers state it. */
export type Untold = { accepted: number; words: LimitWords };

/** Gathers what responses say until it is reported: a round trip for each would cost too much. */
export function makeUntold() {
  let untold = nothing();
  return {
    add(accepted: number, words: LimitWords): void {
      untold = { accepted: untold.accepted + accepted, words: tighter(untold.words, words) };
    },

    /** Adds accepted calls back whose report failed; headers that came since then stay. */
    putBack(accepted: number): void {
      untold = { ...untold, accepted: untold.accepted + accepted };
    },

    /** Takes out all that was gathered, to report it. */
    take(): Untold {
      const taken = untold;
      untold = nothing();
      return taken;
    },

    accepted: (): number => untold.accepted,
  };
}

const nothing = (): Untold => ({ accepted: 0, words: {} });

/** The headers that leave fewer calls: responses overtake each other, so the later one is not necessarily truer. */
function tighter(one: LimitWords, other: LimitWords): LimitWords {
  return (other.remaining ?? Number.POSITIVE_INFINITY) <= (one.remaining ?? Number.POSITIVE_INFINITY) ? other : one;
}
