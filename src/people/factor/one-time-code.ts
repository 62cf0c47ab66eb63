import { timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** RFC 4226, section 4, R6: 160 bits are recommended. */
const SECRET_BYTES = 20;

/** The parameters that every such app supports (RFC 6238): SHA-1, six digits, 30 seconds. */
const RULE = { algorithm: 'SHA1', digits: 6, period: 30 } as const;

/** RFC 6238, section 5.2: one step in each direction, for inaccurate clocks and slow typing. */
const WINDOW_STEPS = [-1, 0, 1];

const CODE = /^\d{6}$/;

/** The shared secret of codes, in the forms for an app. */
export type FactorSecret = {
  /** In base32, to type it into an app. */
  secret: string;
  /** The `otpauth://` URL for a QR code. */
  address: string;
};

/** New random bytes for a second factor. */
export function makeFactorBytes(): Uint8Array {
  return new Secret({ size: SECRET_BYTES }).bytes;
}

/** These bytes in the forms for an app, with the account's name. */
export function factorSecret(bytes: Uint8Array, name: string): FactorSecret {
  const totp = totpOf(bytes, name);
  return { secret: totp.secret.base32, address: totp.toString() };
}

/** Whether a text has the form of an app's code, and not of a recovery code. */
export function isCode(text: string): boolean {
  return CODE.test(text);
}

/** The time step to which a code belongs; undefined if it is wrong. All steps are compared, so that the time tells nothing about which matched. */
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
