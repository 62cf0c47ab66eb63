import type { AnswerHeaders } from '../answer-headers.ts';
import { LimitlineError, messageOf } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import { isWebPage } from '../web-page.ts';
import type { Outlet } from './outlet.ts';
import { SERVICE_PATHS } from './paths.ts';
import type { Granted } from './token.ts';

/** The statuses for wrong or insufficient credentials (RFC 6749, section 5.2, and HTTP). */
const REFUSED = new Set([400, 401, 403]);

/** Statuses of temporary conditions: the token call may succeed later, whichever server responded. */
const PASSING = new Set([408, 429]);

/** An answer without a token, with its headers, which may ask for a delay. */
class NoToken extends LimitlineError {
  readonly headers: AnswerHeaders;

  constructor(code: 'CREDENTIALS' | 'SERVICE', message: string, headers: AnswerHeaders) {
    super(code, message);
    this.headers = headers;
  }
}

/** The headers of an answer without a token; empty for other errors. */
export function headersOf(error: unknown): AnswerHeaders {
  return error instanceof NoToken ? error.headers : {};
}

/**
 * Limits for `expires_in`, in seconds. A longer lifetime counts as a day: a value in milliseconds, or without limit, must not keep a
 * withdrawn token forever, and Redis must accept it. A shorter one would need a token call for every call, so it is ignored.
 */
const LIFETIME_MIN_S = 1;
const LIFETIME_MAX_S = 86_400;

export type TokenCallOptions = {
  outlet: Outlet;
  url: string;
  basePath: string;
  clientId: string;
  clientSecret: string;
  tokenField: string;
  tokenLifetimeMs: number;
  timeoutMs: number;
};

/**
 * Makes the token call: form-encoded, grant type `client_credentials` (RFC 6749, section 4.4). The answer's field names
 * are not documented, so the token's is a setting, and `expires_in` is optional; see {@link LIFETIME_MAX_S}.
 *
 * Rejects with `CREDENTIALS` when they are refused (also by a proxy) or a JSON answer has no token, with `SERVICE` for
 * a temporary failure. Another answer, such as a gateway's page, is an outage if there was a token before (`hadToken`),
 * otherwise a wrong address: `CREDENTIALS`. The call makes nothing, so it can always be repeated.
 */
export function makeTokenCall(options: TokenCallOptions): (hadToken: boolean) => Promise<Granted> {
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: options.clientId,
    client_secret: options.clientSecret,
  }).toString();

  return async (hadToken) => {
    const reply = await options.outlet.send({
      path: options.basePath + SERVICE_PATHS.token,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form,
      timeoutMs: options.timeoutMs,
    });
    if (reply.is === 'silence') {
      const why = reply.sent ? brokenOffWords(reply.error, options.url) : noConnectionWords(reply.error);
      const remedy = hadToken ? '' : '; check that the address is right';
      throw new LimitlineError('SERVICE', `SERVICE_URL ${options.url}: ${why}${remedy}`, { cause: reply.error });
    }
    const { status, headers, text } = reply;
    const answer = status >= 200 && status < 300 ? asObject(text) : undefined;
    if (answer) return readGrant(answer, headers, options);
    if (REFUSED.has(status)) {
      const words = `${options.url} refuses the credentials with status ${status}; check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, and that SERVICE_URL is the address they belong to.`;
      throw new NoToken('CREDENTIALS', words, headers);
    }
    const what = answerWords(status, headers, text);
    if (hadToken || status >= 500 || PASSING.has(status)) {
      throw new NoToken('SERVICE', `there is no token for now: ${options.url} answers with ${what}`, headers);
    }
    const said = `SERVICE_URL ${options.url} answers the call for a token with ${what}; check that it is the address of the service.`;
    throw new NoToken('CREDENTIALS', said, headers);
  };
}

/** Words for a response without a token, for a message. */
function answerWords(status: number, { location }: AnswerHeaders, text: string): string {
  if (isWebPage(text)) return `a web page (status ${status})`;
  if (status >= 300 && status < 400) return `status ${status}, which leads to ${originOf(location)}`;
  return status >= 200 && status < 300 ? `status ${status}, but no JSON` : `status ${status}`;
}

/** A redirect's target without its path, which may be private. */
function originOf(location: string | string[] | undefined): string {
  return typeof location === 'string' && URL.canParse(location) ? new URL(location).origin : 'another path';
}

/** Why a connection broke off, as part of a message. A server that expects TLS closes a plain connection; another may not speak HTTP. */
function brokenOffWords(error: Error, url: string): string {
  if (error.name === 'HTTPParserError') return 'what answers there does not speak HTTP';
  const closed = /other side closed|ECONNRESET/.test(messageOf(error));
  if (!closed) return messageOf(error);
  const tls = url.startsWith('http:') ? ' (if it wants TLS, write https://)' : '';
  return `the connection was closed without an answer${tls}`;
}

/** The answer's JSON as an object; undefined if it is no JSON. */
function asObject(text: string): Record<string, unknown> | undefined {
  try {
    return Object(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function readGrant(
  answer: Record<string, unknown>,
  headers: AnswerHeaders,
  { tokenField, tokenLifetimeMs }: { tokenField: string; tokenLifetimeMs: number },
): Granted {
  const value = answer[tokenField];
  if (!Object.hasOwn(answer, tokenField)) {
    const fields = Object.keys(answer).join(', ') || 'none';
    const words = `The token answer has no field "${tokenField}" (its fields: ${fields}); set SERVICE_TOKEN_FIELD to the one that holds the token.`;
    throw new NoToken('CREDENTIALS', words, headers);
  }
  if (typeof value !== 'string' || !HEADER_TEXT.test(value)) {
    const words = `The field "${tokenField}" of the token answer holds nothing that an HTTP header can carry; set SERVICE_TOKEN_FIELD to the one that holds the token.`;
    throw new NoToken('CREDENTIALS', words, headers);
  }
  return { value, lifetimeMs: lifetimeOf(answer.expires_in) ?? tokenLifetimeMs };
}

/** What a header's value may have (RFC 9110, section 5.5). With another token each call would fail before it leaves, as if nothing listened. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]+$/;

/**
 * The lifetime in ms that `expires_in` states in seconds, within the limits; undefined if it states none. RFC 6749 has a number; some
 * services send text.
 */
function lifetimeOf(expiresIn: unknown): number | undefined {
  const seconds = typeof expiresIn === 'number' || typeof expiresIn === 'string' ? Number(expiresIn) : Number.NaN;
  return seconds >= LIFETIME_MIN_S ? Math.min(seconds, LIFETIME_MAX_S) * 1_000 : undefined;
}
