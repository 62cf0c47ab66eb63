import { timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** RFC 4226, section 4, R6: 160 bits are recommended. */
const SECRET_BYTES = 20;

/** What every app for it knows (RFC 6238): SHA-1, six digits, 30 seconds. */
const RULE = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** RFC 6238, section 5.2: one step to each side, for a clock that is a little wrong and for a person who types. */
const WINDOW_STEPS = [-1, 0, 1];

const CODE = /^\d{6}$/;

/** What a code is computed from, of which an app keeps a copy. */
export type FactorSecret = {
  /** In base32, as it is typed into an app. */
  secret: string;
  /** The `otpauth://` address that a QR code shows. */
  address: string;
};

/** New random bytes for a second factor. */
export function makeFactorBytes(): Uint8Array {
  return new Secret({ size: SECRET_BYTES }).bytes;
}

/** Those bytes as an app takes them, with whose account it is. */
export function factorSecret(bytes: Uint8Array, name: string): FactorSecret {
  const totp = totpOf(bytes, name);
  return { secret: totp.secret.base32, address: totp.toString() };
}

/** Whether a text could be such a code, and not a recovery code. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/**
 * The step of time to which a code belongs; nothing where it is none of these moments. All of them are computed and compared,
 * whichever it is.
 */
export function stepOfCode(bytes: Uint8Array, code: string, nowMs: number): number | undefined {
  if (!isCode(code)) return undefined;
  const totp = totpOf(bytes, '');
  const now = Math.floor(nowMs / 1_000 / RULE.period);
  const matching = WINDOW_STEPS.map((offset) => now + offset).filter((step) => {
    const expected = totp.generate({ timestamp: step * RULE.period * 1_000 });
    return timingSafeEqual(Buffer.from(expected), Buffer.from(code));
  });
  // Should one code belong to two steps, the later one leaves none of them for a second use.
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
