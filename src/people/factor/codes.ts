import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomInt } from 'node:crypto';

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

const CIPHER = 'aes-256-gcm';

/** Version of the encryption, so that another one can be added (ASVS 5.0, 11.2.2). */
const VERSION = '1.';

/** NIST SP 800-38D, section 8.2.2: 96 random bits; only after billions of uses of a key two nonces are likely to be equal. */
const NONCE_BYTES = 12;

const TAG_BYTES = 16;

/**
 * Encrypts bytes so that a reader of Redis can neither read nor change them, nor give them to another user: they are bound to `of`.
 *
 * @param key 32 bytes
 */
export function seal(plain: Uint8Array, key: Buffer, of: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(of));
  const bytes = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return VERSION + bytes.toString('base64url');
}

/** Decrypts; undefined if the bytes were changed, are bound to another `of`, or were sealed with another key. */
export function unseal(sealed: string, key: Buffer, of: string): Buffer | undefined {
  if (!sealed.startsWith(VERSION)) return undefined;
  const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(of))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return undefined;
  }
}
