import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeAddress } from '../html/html.ts';
import type { Coming } from './people-functions.ts';

/** 256 random bits as base64url. A text of another form is no token of ours, and Redis is not asked about it. */
const TOKEN = /^[\w-]{43}$/;

/**
 * What all cookies of sessions have in common. `__Host-` makes browsers hold to it: sent over HTTPS only (and to a loopback
 * address), to this host and no other, set by it and by none of its neighbours (RFC 6265bis, section 4.1.3.2).
 *
 * Not `Strict`: a link in a mail would lead to the sign-in although one is signed in. With `Lax` only navigations of the whole
 * page bring it from another site; those that change something are refused by the guard, and those that show something ask
 * first (server/led-here.ts). It has no end of its own: the browser forgets it when it is closed, and the session in Redis ends.
 */
const ATTRIBUTES = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;

/**
 * The name of the session's cookie. All ports of a host share their cookies, so the name has the installation's mark: consoles of one
 * installation share sessions, and those of two do not disturb each other.
 */
export function sessionCookieName(mark: string): string {
  return `__Host-limitline-${mark}`;
}

/**
 * The cookie of a person who opened a console without users by its link. Not `Secure`: Safari would not keep it for `http://127.0.0.1`.
 * `Strict`: it goes to every program on this machine under the same host name, so no other site may cause that.
 */
export function openedCookieName(mark: string): string {
  return `limitline-opened-${mark}`;
}

/** The token of a request, if it has the right form. */
export function readToken({ cookies }: FastifyRequest, name: string): string | undefined {
  const token = cookies[name];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

export function giveToken(reply: FastifyReply, name: string, token: string): void {
  reply.setCookie(name, token, ATTRIBUTES);
}

/** Gives a person who opened the console by its link the token of their session; see {@link openedCookieName}. */
export function giveOpened(reply: FastifyReply, name: string, token: string): void {
  reply.setCookie(name, token, { ...ATTRIBUTES, secure: 'auto', sameSite: 'strict' });
}

/** Gives a person with a session their new token. */
export function keepToken({ request, reply }: { request: FastifyRequest; reply: FastifyReply }, token: string): void {
  if (request.signedIn) giveToken(reply, request.signedIn.cookie, token);
}

export function takeToken(reply: FastifyReply, name: string): void {
  reply.clearCookie(name, ATTRIBUTES);
}

/** A browser's description of itself is cut to this length, which is enough for a person to recognise it. */
const LONGEST_AGENT = 200;

/** Where a request comes from. */
export function comingOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Coming {
  return { from: ip, agent: (headers['user-agent'] ?? '').slice(0, LONGEST_AGENT) };
}

/** Longer than any address of ours with all of its filters. */
const LONGEST = 2_000;

/** Nobody is sent back to these addresses: they would have to sign in again, or would be signed out. */
const NOT_BACK = /^\/(?:sign-in|sign-out|assets|events)(?:[/?]|$)/i;

/** Any host that is not ours, to find out whether an address leaves the console. */
const HERE = 'http://limitline.invalid';

/**
 * Where a person goes after signing in: a path of this console with its query, or `/` for anything else. It is parsed as browsers do
 * (WHATWG URL), so that neither `//elsewhere`, `/\elsewhere`, `/.//elsewhere` nor a tab between two slashes leads to another site
 * (CWE-601).
 */
export function wayBack(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > LONGEST || !asked.startsWith('/') || !safeAddress(asked)) return '/';
  const address = URL.parse(asked, HERE);
  if (address?.origin !== HERE) return '/';
  const path = `${address.pathname}${address.search}`;
  return safeAddress(path) && !NOT_BACK.test(path) ? path : '/';
}

/** The address of the sign-in page that leads back to `to`; without it, if that is the start page anyway. */
export function signInAddress(to: unknown, page = '/sign-in'): string {
  const back = wayBack(to);
  return back === '/' ? page : `${page}?to=${encodeURIComponent(back)}`;
}

/** Longer than a place is remembered after a sign-in. Each sign-in gives the browser a new cookie. */
const KNOWN_S = 90 * 24 * 3_600;

export type Devices = ReturnType<typeof makeDevices>;

/**
 * The cookie of a browser in which a person signed in. It is no session and opens nothing. It shows that tries from this browser are no
 * stranger's, so that many tries by strangers, from any network, do not lock this person out. It is signed: an invented or old one, or one
 * of another installation, counts as a stranger's. It is valid for one person only.
 *
 * @param name of the cookie
 */
export function makeDevices(key: Buffer, name: string) {
  const sign = (words: string) =>
    createHmac('sha256', key).update(`device\n${words}`).digest('base64url').slice(0, SIGN_LENGTH);
  const inHeader = new RegExp(`(?:^|;) *${name}=([\\w-]{22})\\.(\\d{1,12})\\.([\\w-]{22})\\.([\\w-]{22})(?:;|$)`);

  /** The content of a request's cookie, if it was signed here and is not too old. */
  function read({ headers }: Pick<FastifyRequest, 'headers'>): { id: string; since: string; own: string } | undefined {
    const [, id = '', since = '', any = '', own = ''] = inHeader.exec(headers.cookie ?? '') ?? [];
    const ageS = Date.now() / 1_000 - Number(since);
    if (id === '' || ageS > KNOWN_S || !isSame(any, sign(`${id} ${since}`))) return undefined;
    return { id, since, own };
  }

  return {
    /** The id of the browser, if anybody has signed in with it. */
    known: (request: Pick<FastifyRequest, 'headers'>): string | undefined => read(request)?.id,

    /** The same, if this person has signed in with it. */
    of(request: Pick<FastifyRequest, 'headers'>, person: string): string | undefined {
      const found = read(request);
      return found && isSame(found.own, sign(`${found.id} ${found.since} ${person}`)) ? found.id : undefined;
    },

    /** Records that this person signed in. */
    give(reply: FastifyReply, person: string): void {
      const [id, since] = [randomBytes(16).toString('base64url'), Math.floor(Date.now() / 1_000)];
      const value = `${id}.${since}.${sign(`${id} ${since}`)}.${sign(`${id} ${since} ${person}`)}`;
      reply.setCookie(name, value, { path: '/', secure: true, httpOnly: true, sameSite: 'strict', maxAge: KNOWN_S });
    },
  };
}

/** 128 bits as base64url. */
const SIGN_LENGTH = 22;

function isSame(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}
