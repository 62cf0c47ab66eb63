import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { safeAddress } from '../html/html.ts';
import type { Coming } from './people-functions.ts';

/** 256 random bits as base64url; what looks otherwise is no token of ours, and Redis is not asked about it. */
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
 * The name of the session's cookie. Cookies of one host are shared by all of its ports, so that consoles of one installation
 * share sessions and those of two do not disturb each other: the mark of the installation is in the name.
 */
export function sessionCookieName(mark: string): string {
  return `__Host-limitline-${mark}`;
}

/**
 * The cookie of whoever opened a console without users by its link. Not `Secure`: Safari would not keep it for `http://127.0.0.1`.
 * `Strict`, since every program on this machine that a browser asks under the same name is sent it: no other site can make it ask.
 */
export function openedCookieName(mark: string): string {
  return `limitline-opened-${mark}`;
}

/** The token that a request brings, if it looks like one. */
export function readToken({ cookies }: FastifyRequest, name: string): string | undefined {
  const token = cookies[name];
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

export function giveToken(reply: FastifyReply, name: string, token: string): void {
  reply.setCookie(name, token, ATTRIBUTES);
}

/** Gives somebody who opened the console by its link the token of their session; see {@link openedCookieName}. */
export function giveOpened(reply: FastifyReply, name: string, token: string): void {
  reply.setCookie(name, token, { ...ATTRIBUTES, secure: 'auto', sameSite: 'strict' });
}

/** Gives somebody who came with a session the token that it has from now on. */
export function keepToken({ request, reply }: { request: FastifyRequest; reply: FastifyReply }, token: string): void {
  if (request.signedIn) giveToken(reply, request.signedIn.cookie, token);
}

export function takeToken(reply: FastifyReply, name: string): void {
  reply.clearCookie(name, ATTRIBUTES);
}

/** What is kept of what a browser calls itself: enough for a person to know it by. */
const LONGEST_AGENT = 200;

/** From where a request comes. */
export function comingOf({ ip, headers }: Pick<FastifyRequest, 'ip' | 'headers'>): Coming {
  return { from: ip, agent: (headers['user-agent'] ?? '').slice(0, LONGEST_AGENT) };
}

/** Longer than any address of ours with all of its filters is meant to be. */
const LONGEST = 2_000;

/** Where nobody is sent back to: they would be asked to sign in again, or signed out. */
const NOT_BACK = /^\/(?:sign-in|sign-out|assets|events)(?:[/?]|$)/i;

/** Any name that is not ours, to find out whether an address leaves it. */
const HERE = 'http://limitline.invalid';

/**
 * Where somebody goes after they signed in: a path of this console with its query, or `/` where what is asked for is anything
 * else. It is read as a browser reads it (WHATWG URL), so that neither `//elsewhere`, `/\elsewhere`, `/.//elsewhere` nor
 * a tab between two slashes leads to another site (CWE-601).
 */
export function wayBack(asked: unknown): string {
  if (typeof asked !== 'string' || asked.length > LONGEST || !asked.startsWith('/') || !safeAddress(asked)) return '/';
  const address = URL.parse(asked, HERE);
  if (address?.origin !== HERE) return '/';
  const path = `${address.pathname}${address.search}`;
  return safeAddress(path) && !NOT_BACK.test(path) ? path : '/';
}

/** The address of the sign-in that leads back; without a way back where that is the start anyway. */
export function signInAddress(to: unknown, page = '/sign-in'): string {
  const back = wayBack(to);
  return back === '/' ? page : `${page}?to=${encodeURIComponent(back)}`;
}

/** As long as a place is known after a sign-in, and some more: a browser that signs in has a new one each time. */
const KNOWN_S = 90 * 24 * 3_600;

export type Devices = ReturnType<typeof makeDevices>;

/**
 * The cookie of a browser in which somebody signed in. It is no session and opens nothing: it says that tries from there are no
 * stranger's, so that strangers who try in great number keep nobody out who has it, from whatever network. It is signed: with what is
 * made up, of another installation or too old, one is a stranger. What it is good for is one person's alone.
 *
 * @param name of the cookie
 */
export function makeDevices(key: Buffer, name: string) {
  const sign = (words: string) =>
    createHmac('sha256', key).update(`device\n${words}`).digest('base64url').slice(0, SIGN_LENGTH);
  const inHeader = new RegExp(`(?:^|;) *${name}=([\\w-]{22})\\.(\\d{1,12})\\.([\\w-]{22})\\.([\\w-]{22})(?:;|$)`);

  /** What stands in the cookie of a request, if it was signed here and is not too old. */
  function read({ headers }: Pick<FastifyRequest, 'headers'>): { id: string; since: string; own: string } | undefined {
    const [, id = '', since = '', any = '', own = ''] = inHeader.exec(headers.cookie ?? '') ?? [];
    const ageS = Date.now() / 1_000 - Number(since);
    if (id === '' || ageS > KNOWN_S || !isSame(any, sign(`${id} ${since}`))) return undefined;
    return { id, since, own };
  }

  return {
    /** A browser in which anybody signed in, by its id. */
    known: (request: Pick<FastifyRequest, 'headers'>): string | undefined => read(request)?.id,

    /** The same where it was this person. */
    of(request: Pick<FastifyRequest, 'headers'>, person: string): string | undefined {
      const found = read(request);
      return found && isSame(found.own, sign(`${found.id} ${found.since} ${person}`)) ? found.id : undefined;
    },

    /** This person signed in. */
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
