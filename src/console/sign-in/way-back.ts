import { safeAddress } from '../html/safe-address.ts';

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
