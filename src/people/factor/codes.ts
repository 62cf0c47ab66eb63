import { createCipheriv, createDecipheriv, createHmac, randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Recovery codes of a user: as many as fit on a slip of paper and last for years. */
const CODES = 10;

/** Characters of a recovery code, which has 28 of these 32: 140 bits. ASVS 5.0 asks for 128 (11.5.1), for a fast digest 112 (6.5.2). */
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

/** The beginning of each sealed text: the version of the encryption, so that another one can be added (ASVS 5.0, 11.2.2). */
const VERSION = '1.';

/** Random bytes of a nonce: 96 bits (NIST SP 800-38D, section 8.2.2). Two are likely to be equal only after billions of uses. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts bytes so that a reader of Redis can neither read nor change them, nor give them to another user.
 *
 * @param key 32 bytes
 * @param of whose bytes they are; only with the same text can they be decrypted
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

/** Bytes of a second factor's secret: RFC 4226, section 4, R6, recommends 160 bits. */
const SECRET_BYTES = 20;

/** The parameters of codes that every authenticator app supports (RFC 6238): SHA-1, six digits, 30 seconds. */
const RULE = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** Time steps whose codes are accepted: the present one and its neighbours, for inaccurate clocks and slow typing (RFC 6238, 5.2). */
const WINDOW_STEPS = [-1, 0, 1];

const CODE = /^\d{6}$/;

/** The secret that an authenticator app shares with Limitline, in the forms that apps read. */
export type FactorSecret = {
  /** The secret in base32, to type it into an app. */
  secret: string;
  /** The `otpauth://` URL for a QR code. */
  address: string;
};

export function makeFactorBytes(): Uint8Array {
  return new Secret({ size: SECRET_BYTES }).bytes;
}

/** A second factor's bytes in the forms for an app, with the user's name. */
export function factorSecret(bytes: Uint8Array, name: string): FactorSecret {
  const totp = totpOf(bytes, name);
  return { secret: totp.secret.base32, address: totp.toString() };
}

/** Whether a text has the form of an app's code, and not of a recovery code. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/**
 * The time step to which a code belongs; undefined if it is wrong. All steps are compared, so that the time tells nothing about which
 * matched.
 */
export function stepOfCode(bytes: Uint8Array, code: string, nowMs: number): number | undefined {
  if (!isCode(code)) return undefined;
  const totp = totpOf(bytes, '');
  const now = Math.floor(nowMs / 1_000 / RULE.period);
  const matching = WINDOW_STEPS.map((offset) => now + offset).filter((step) => {
    const expected = totp.generate({ timestamp: step * RULE.period * 1_000 });
    return timingSafeEqual(Buffer.from(expected), Buffer.from(code));
  });
  // If a code matches two steps, the later one prevents a second use.
  return matching.at(-1);
}

function totpOf(bytes: Uint8Array, name: string): TOTP {
  return new TOTP({
    ...RULE,
    issuer: 'Limitline',
    label: name,
    secret: new Secret({ buffer: Uint8Array.from(bytes).buffer }),
  });
}
