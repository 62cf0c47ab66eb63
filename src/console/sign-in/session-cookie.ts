import type { FastifyReply, FastifyRequest } from 'fastify';

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
