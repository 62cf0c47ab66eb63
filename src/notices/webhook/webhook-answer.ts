import type { AnswerHeaders } from '../../answer-headers.ts';
import type { SendResult } from '../way.ts';

/**
 * The meaning of a webhook's response.
 *
 * | Status | Then |
 * | --- | --- |
 * | 2xx | delivered |
 * | 429, 408, 5xx | the receiver has a problem: every notice is retried soon, or when it asked for |
 * | 400, 413, 415, 422 | it rejects this notice: retried now and then, and the others go on |
 * | 3xx and any other | the URL is wrong: a person has to fix it |
 *
 * @param host the receiver's host, for messages
 */
export function meaningOfAnswer({
  status,
  headers,
  host,
  nowMs,
}: {
  status: number;
  headers: AnswerHeaders;
  host: string;
  nowMs: number;
}): SendResult {
  if (status >= 200 && status < 300) return { is: 'delivered', words: '' };
  const says = `${host} answered ${status}`;
  const failed = (words: string, fault: 'way' | 'notice', passes: boolean): SendResult => {
    const askedMs = retryAfterMs(headers['retry-after'], nowMs);
    return { is: 'failed', words, fault, passes, ...(askedMs === undefined ? {} : { askedMs }) };
  };
  if (status >= 300 && status < 400) {
    const to = hostOf(headers.location);
    const where = to === undefined ? '' : `, which leads to ${to}`;
    return failed(
      `${says}${where}: redirects are not followed; set NOTIFY_WEBHOOK_URL to the last address`,
      'way',
      false,
    );
  }
  if (status === 429) return failed(`${says}: too many messages`, 'way', true);
  if (status === 408 || status >= 500) return failed(says, 'way', true);
  if (NOT_THIS_ONE.has(status)) return failed(`${says}: it does not take this notice`, 'notice', false);
  return failed(`${says}: it may have another address by now, see NOTIFY_WEBHOOK_URL`, 'way', false);
}

/** Statuses by which a receiver rejects the notice's content; other 4xx are about the URL, the method or the rights. */
const NOT_THIS_ONE: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** The wait in ms that a `Retry-After` asks for, given in seconds or as a date (RFC 9110, section 10.2.3). Undefined for anything else. */
function retryAfterMs(value: string | string[] | undefined, nowMs: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1_000;
  const atMs = /^[A-Z][a-z]{2}/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isFinite(atMs) ? Math.max(0, atMs - nowMs) : undefined;
}

/** The host to which a redirect leads. The rest of its URL may be a secret and is left out. */
function hostOf(location: string | string[] | undefined): string | undefined {
  return typeof location === 'string' && URL.canParse(location) ? new URL(location).host.slice(0, 100) : undefined;
}
