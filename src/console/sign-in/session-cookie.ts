import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeAddress } from '../html/html.ts';
import type { SignInClient } from './people-functions.ts';

/** The form of a token: 256 random bits as base64url. Redis is not asked about any other text. */
const TOKEN = /^[\w-]{43}$/;

/**
 * The attributes of all session cookies. With the prefix `__Host-`, browsers send them only over HTTPS (or to a loopback
 * address), and only to the host that set them (RFC 6265bis, section 4.1.3.2). They are not `Strict`: a link in a mail would then
 * lead signed-in people to the sign-in. `Lax` cookies go along when other sites open a page of the console, and harm nothing: the
 * guard refuses changes from other sites, and asks for a click before such a page is shown (server/guard.ts). Without an expiry,
 * the browser drops them when it closes, and the session in Redis ends by itself.
 */
const ATTRIBUTES = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;

/**
 * The name of the session's cookie. All ports of a host share cookies, so the name holds the installation's mark: its consoles
 * share sessions, and other installations' consoles do not interfere.
 */
export function sessionCookieName(mark: string): string {
  return `__Host-limitline-${mark}`;
}

/**
 * The name of the cookie for people who came by the console's link. It is not `Secure`, since Safari would drop it for `http://127.0.0.1`.
 * It is `Strict`, since browsers send it to all programs of this host: a page of another site must not be able to cause that.
 */
export function openedCookieName(mark: string): string {
  return `limitline-opened-${mark}`;
}

/** The token in a request's cookie, if it has the form of one. */
export function sessionTokenOf({ cookies }: FastifyRequest, name: string): string | undefined {
  const token = cookies[name];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

export function giveToken(reply: FastifyReply, name: string, token: string): void {
  reply.setCookie(name, token, ATTRIBUTES);
}

/** Gives the session's cookie to a person who came by the console's link; see {@link openedCookieName}. */
export function giveOpened(reply: FastifyReply, name: string, token: string): void {
  reply.setCookie(name, token, { ...ATTRIBUTES, secure: 'auto', sameSite: 'strict' });
}

/** Puts a new token into the cookie by which the request's session came. */
export function keepToken({ request, reply }: { request: FastifyRequest; reply: FastifyReply }, token: string): void {
  if (request.signedIn) giveToken(reply, request.signedIn.cookie, token);
}

export function takeToken(reply: FastifyReply, name: string): void {
  reply.clearCookie(name, ATTRIBUTES);
}

/** Characters of a user agent to keep, enough for a person to recognise it. */
const LONGEST_AGENT = 200;

/** The network address and the browser from which an HTTP request comes. */
export function clientOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): SignInClient {
  return { from: ip, agent: (headers['user-agent'] ?? '').slice(0, LONGEST_AGENT) };
}

/** The most characters of an address to which a sign-in returns: longer than any useful address of the console. */
const LONGEST = 2_000;

/**
 * Addresses to which a sign-in must not return: pages of the sign-in and sign-out, which would ask again or sign the person out,
 * and addresses that are no pages.
 */
const NOT_BACK = /^\/(?:sign-in|sign-out|assets|events)(?:[/?]|$)/i;

/** The base against which an address is resolved, to find out whether it leaves this host. No real address begins with it. */
const HERE = 'http://limitline.invalid';

/**
 * The address after a sign-in: a path of this console with its query, or `/` for anything else. It is parsed as browsers do (WHATWG URL),
 * so that `//elsewhere`, `/\elsewhere`, `/.//elsewhere` or a tab between slashes cannot lead to another site (CWE-601).
 */
export function wayBack(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > LONGEST || !asked.startsWith('/') || !safeAddress(asked)) return '/';
  const address = URL.parse(asked, HERE);
  if (address?.origin !== HERE) return '/';
  const path = `${address.pathname}${address.search}`;
  return safeAddress(path) && !NOT_BACK.test(path) ? path : '/';
}

/** The address of the sign-in, or of one of its steps (`page`), with the page to return to; `/` is not written into it. */
export function signInAddress(to: unknown, page = '/sign-in'): string {
  const back = wayBack(to);
  return back === '/' ? page : `${page}?to=${encodeURIComponent(back)}`;
}

/** How long a browser stays known. Each sign-in begins this time anew, so it is longer than people usually stay away. */
const KNOWN_S = 90 * 24 * 3_600;

export type Devices = ReturnType<typeof makeDevices>;

/**
 * The cookie of a browser in which somebody signed in. It opens nothing; it makes the browser known, so that a flood of
 * attempts by unknown clients does not keep it out (make-gate.ts). It is signed, so that forged cookies, and those of other
 * installations or too old, count as unknown. `own` ties it to one person.
 *
 * @param name the cookie's name
 */
export function makeDevices(key: Buffer, name: string) {
  const sign = (words: string) =>
    createHmac('sha256', key).update(`device\n${words}`).digest('base64url').slice(0, SIGN_LENGTH);
  const inHeader = new RegExp(`(?:^|;) *${name}=([\\w-]{22})\\.(\\d{1,12})\\.([\\w-]{22})\\.([\\w-]{22})(?:;|$)`);

  /** The content of a request's cookie, if this installation signed it and it is not too old. */
  function read({ headers }: Pick<FastifyRequest, 'headers'>): { id: string; since: string; own: string } | undefined {
    const [, id = '', since = '', any = '', own = ''] = inHeader.exec(headers.cookie ?? '') ?? [];
    const ageS = Date.now() / 1_000 - Number(since);
    if (id === '' || ageS > KNOWN_S || !isSame(any, sign(`${id} ${since}`))) return undefined;
    return { id, since, own };
  }

  return {
    /** The id of the browser, if anybody has signed in with this browser before. */
    known: (request: Pick<FastifyRequest, 'headers'>): string | undefined => read(request)?.id,

    /** The id of the browser, if this person has signed in with this browser before. */
    of(request: Pick<FastifyRequest, 'headers'>, person: string): string | undefined {
      const found = read(request);
      return found && isSame(found.own, sign(`${found.id} ${found.since} ${person}`)) ? found.id : undefined;
    },

    /** Gives a new cookie to the browser in which this person has just signed in. */
    give(reply: FastifyReply, person: string): void {
      const [id, since] = [randomBytes(16).toString('base64url'), Math.floor(Date.now() / 1_000)];
      const value = `${id}.${since}.${sign(`${id} ${since}`)}.${sign(`${id} ${since} ${person}`)}`;
      reply.setCookie(name, value, { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: KNOWN_S });
    },
  };
}

/** Characters of a signature: 128 bits as base64url. */
const SIGN_LENGTH = 22;

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
