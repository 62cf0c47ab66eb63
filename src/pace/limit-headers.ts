import type { AnswerHeaders } from '../answer-headers.ts';

/** What an answer's headers say of the service's limit; what they do not say is left out. */
export type LimitWords = {
  /** `Retry-After`: ms to wait from now. */
  retryAfterMs?: number | undefined;
  /** Calls of a whole window, those left of it, and ms until it begins anew. */
  limit?: number | undefined;
  remaining?: number | undefined;
  resetMs?: number | undefined;
  /** Seconds of a whole window, where a policy states one short enough to be a rate: `limit` calls in it. */
  windowS?: number | undefined;
  /** The header whose time was so long that it was capped. */
  capped?: string;
};

/** A wish for a day is a mistake or an attack; an hour is as long as all calls wait on one answer's word. */
const LONGEST_WAIT_MS = 3_600_000;

/** No pace is faster than this; a greater number is a way of saying that there is no limit. */
const MOST_CALLS = 1_000_000_000;

/** A longer window is an allowance to be used up, not a rate to be kept. */
const LONGEST_RATE_WINDOW_S = 10;

/** From here on a number is a time since 1970 and no longer a span: 1e9 s is 2001, 1e12 ms too. */
const EPOCH_S_FROM = 1e9;
const EPOCH_MS_FROM = 1e12;

/**
 * Reads what an answer says of the limit. Pure, and never throws: a malformed field is as good as none.
 *
 * - `Retry-After` (RFC 9110, section 10.2.3): seconds or an HTTP date; some write fractions of a second
 * - `RateLimit` with `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers): `"default";r=50;t=30`, `"default";q=100;w=60`;
 *   in its seventh draft `limit=100, remaining=50, reset=30` with `100;w=60`
 * - `RateLimit-Limit`, `-Remaining`, `-Reset` (its older drafts): seconds
 * - `X-RateLimit-…`, `X-Rate-Limit-…`: the reset as seconds left, seconds or milliseconds since 1970, or an ISO date
 *
 * @param theirNowMs the service's time, by which it says times of day (see `their-clock.ts`)
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
    if ((words[name] ?? 0) > LONGEST_WAIT_MS) Object.assign(words, { [name]: LONGEST_WAIT_MS, capped: header });
  }
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}

/** The names of all fields that are read here begin so. */
const NAMES = /^(?:retry-after$|(?:x-)?rate-?limit)/;

/** Whether any field may say something: of most services none does, and each answer is looked at. */
function saysAnything(headers: AnswerHeaders): boolean {
  for (const name in headers) if (NAMES.test(name)) return true;
  return false;
}

/** The answer's `Date` in ms since 1970 (RFC 9110, section 6.6.1), whole seconds; nothing where it is malformed. */
export function readDate(headers: AnswerHeaders): number | undefined {
  return httpDate(fieldOf(headers, 'date'));
}

const TIMES = [
  ['resetMs', 'the reset of a rate limit'],
  ['retryAfterMs', 'Retry-After'],
] as const;

/** Of several policies the tightest rate counts, and else the fewest calls; of what is left, that which is used up soonest. */
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
 * `"name";q=100;w=60, "other";q=5;w=1`, read no further than the whole numbers in it need (RFC 8941); `100;w=60` too, and
 * `limit=100, remaining=50, reset=30` as one item. What counts other things than requests is left out.
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

/** Some services put the policy behind the number: `100, 100;w=60`. */
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

/** Only the form that HTTP prescribes: `Date.parse` alone would take almost any text for a date. */
function httpDate(text: string | undefined): number | undefined {
  if (!text || !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text)) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
