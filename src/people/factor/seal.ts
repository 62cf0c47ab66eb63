import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';

/** Says how it is sealed, so that another way can come beside this one (ASVS 5.0, 11.2.2). */
const VERSION = '1.';

/** NIST SP 800-38D, section 8.2.2: 96 random bits; a key would have to seal billions before two are likely to be the same. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Bytes that whoever reads Redis can neither read nor change, nor give to another user: `of` is bound to them.
 *
 * @param key 32 bytes
 */
export function seal(plain: Uint8Array, key: Buffer, of: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(of));
  const bytes = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return VERSION + bytes.toString('base64url');
}

/** What was sealed; nothing where it was changed, is another's, or was sealed with another key. */
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
