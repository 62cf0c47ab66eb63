import type { AnswerHeaders } from '../answer-headers.ts';
import { LimitlineError, messageOf } from '../errors.ts';
import { noConnectionWords } from '../no-connection.ts';
import type { Outlet } from './outlet.ts';
import { SERVICE_PATHS } from './paths.ts';
import type { Granted } from './token.ts';
import { isWebPage } from './web-page.ts';

/** What RFC 6749 (section 5.2) and HTTP have for credentials that are wrong or may not do this. */
const REFUSED = new Set([400, 401, 403]);

/** Answers that speak of the moment, whoever gives them. */
const PASSING = new Set([408, 429]);

/** Why an answer brought no token, with its headers, in which the endpoint may wish for a wait. */
class NoToken extends LimitlineError {
  readonly headers: AnswerHeaders;

  constructor(code: 'CREDENTIALS' | 'SERVICE', message: string, headers: AnswerHeaders) {
    super(code, message);
    this.headers = headers;
  }
}

/** The headers of the answer that brought no token; none where the error is another. */
export function headersOf(error: unknown): AnswerHeaders {
  return error instanceof NoToken ? error.headers : {};
}

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
 * The call rejects with `CREDENTIALS` when they are refused (by a proxy too) or a JSON answer has no token, with `SERVICE`
 * when the endpoint does not answer for now. Any other answer, such as a gateway's own page, is an outage to who has had a
 * token here (`hadToken`), and to who has not a wrong address, which is `CREDENTIALS` too. It makes nothing, so it may always
 * be repeated.
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
}): (hadToken: boolean) => Promise<Granted> {
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
      throw new NoToken(
        'CREDENTIALS',
        `${options.url} refuses the credentials with status ${status}; check SERVICE_CLIENT_ID and SERVICE_CLIENT_SECRET, and that SERVICE_URL is the address they belong to.`,
        headers,
      );
    }
    const what = answerWords(status, headers, text);
    if (hadToken || status >= 500 || PASSING.has(status)) {
      throw new NoToken('SERVICE', `no token for now: ${options.url} answers with ${what}`, headers);
    }
    throw new NoToken(
      'CREDENTIALS',
      `SERVICE_URL ${options.url} answers the call for a token with ${what}; check that it is the address of the service.`,
      headers,
    );
  };
}

/** What an answer is that brought no token. */
function answerWords(status: number, { location }: AnswerHeaders, text: string): string {
  if (isWebPage(text)) return `a web page (status ${status})`;
  if (status >= 300 && status < 400) return `status ${status}, which leads to ${originOf(location)}`;
  return status >= 200 && status < 300 ? `status ${status}, but no JSON` : `status ${status}`;
}

/** Where a redirection leads, without a path, in which something private may stand. */
function originOf(location: string | string[] | undefined): string {
  return typeof location === 'string' && URL.canParse(location) ? new URL(location).origin : 'another path';
}

/** What a server does that is no service: one that waits for TLS hangs up, and one of another protocol babbles. */
function brokenOffWords(error: Error, url: string): string {
  if (error.name === 'HTTPParserError') return 'what answers there does not speak HTTP';
  const closed = /other side closed|ECONNRESET/.test(messageOf(error));
  if (!closed) return messageOf(error);
  const tls = url.startsWith('http:') ? ' (if it wants TLS, write https://)' : '';
  return `the connection was closed without an answer${tls}`;
}

/** The answer's JSON as an object; nothing where it is no JSON. */
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
  if (typeof value !== 'string' || value === '') {
    const fields = Object.keys(answer).join(', ') || 'none';
    throw new NoToken(
      'CREDENTIALS',
      `The token answer has no field "${tokenField}" (its fields: ${fields}); set SERVICE_TOKEN_FIELD to the one that holds the token.`,
      headers,
    );
  }
  return { value, lifetimeMs: lifetimeOf(answer.expires_in) ?? tokenLifetimeMs };
}

/** What RFC 6749 has as a number, some services write as text. */
function lifetimeOf(expiresIn: unknown): number | undefined {
  const seconds = typeof expiresIn === 'number' || typeof expiresIn === 'string' ? Number(expiresIn) : Number.NaN;
  return seconds >= LIFETIME_MIN_S ? Math.min(seconds, LIFETIME_MAX_S) * 1_000 : undefined;
}
