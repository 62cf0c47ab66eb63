import { createHmac, randomInt } from 'node:crypto';

/** As many as fit on a slip of paper and last for years. */
const CODES = 10;

/** 28 of 32 characters: 140 bits. ASVS 5.0 asks for 128 (11.5.1), and allows a fast digest from 112 bits on (6.5.2). */
const SIGNS = 'abcdefghijkmnopqrstuvwxyz2345678';
const GROUPS = 7;
const GROUP_SIGNS = 4;

const DIGEST_SIGNS = 22;

/** Codes for a lost app, such as `abcd-efgh-ijkm-nopq-rstu-vwxy-z234`; each is valid for one sign-in. */
export function makeRecoveryCodes(): string[] {
  const group = () => Array.from({ length: GROUP_SIGNS }, () => SIGNS[randomInt(SIGNS.length)]).join('');
  return Array.from({ length: CODES }, () => Array.from({ length: GROUPS }, group).join('-'));
}

/** The stored digest of a code: 128 bits of an HMAC, bound to the user. Capitals, spaces and hyphens are ignored. */
export function recoveryDigest(code: string, name: string, key: Buffer): string {
  const plain = code.toLowerCase().replace(/[\s-]+/g, '');
  return createHmac('sha256', key).update(`${name}\n${plain}`).digest('base64url').slice(0, DIGEST_SIGNS);
}
