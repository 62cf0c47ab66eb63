import { createHmac, randomBytes } from 'node:crypto';

/** 256 bits (ASVS 5.0, 7.2.3 asks for 128). */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

/** Enough to tell one's own sessions apart, and nothing from which the rest of the digest could be found. */
const HANDLE_SIGNS = 12;

/** What a browser keeps of a session, and nobody else: Redis has its digest. */
export function makeToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** Whether a text could be a token: what is none costs no look. */
export function isToken(text: string): boolean {
  return TOKEN.test(text);
}

/** What a session is found by: whoever reads Redis, or a backup of it, has no token by it, and without the key can make none. */
export function digestOfToken(token: string, key: Buffer): string {
  return createHmac('sha256', key).update(token).digest('base64url');
}

/** What a session is called where people see it. */
export function handleOf(digest: string): string {
  return digest.slice(0, HANDLE_SIGNS);
}
