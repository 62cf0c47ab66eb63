import { createHmac, randomBytes } from 'node:crypto';

/** Random bytes of a token: 256 bits (ASVS 5.0, 7.2.3 asks for 128). */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** Characters of a session's visible name: enough to tell a person's sessions apart, too few to find the rest of its digest. */
const HANDLE_SIGNS = 12;

/** The secret of a session, which only the browser has: Redis has its digest. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether a text has the form of a token; if not, Redis need not be asked. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** The digest by which a session is stored. A reader of Redis or of a backup gets no token from it, and cannot make one without the key. */
export function digestOfToken(token: string, key: Buffer): string {
  return createHmac('sha256', key).update(token).digest('base64url');
}

/** The visible name of a session. */
export function handleOf(digest: string): string {
  return digest.slice(0, HANDLE_SIGNS);
}
