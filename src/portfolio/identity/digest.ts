import { hash } from 'node:crypto';

/** The digest of a text: 96 bits of its SHA-256 as 16 characters of base64url. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, DIGEST_LETTERS);
}

/** Letters of a digest as one number, 6 bits each; only the last 32 bits remain, as a signed number. */
export function lettersAsNumber(digest: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) number = (number << 6) | sixBits(digest, at);
  return number;
}

/** Writes a digest's 12 bytes at `start`. */
export function writeDigest(bytes: Uint8Array, digest: string, start: number): void {
  for (let [at, byte] = [0, start]; at < DIGEST_LETTERS; at += 4, byte += 3) {
    const three = lettersAsNumber(digest, at, at + 4);
    bytes[byte] = three >>> 16;
    bytes[byte + 1] = three >>> 8;
    bytes[byte + 2] = three;
  }
}

/** The length of a digest in bytes. */
export const DIGEST_BYTES = 12;

const DIGEST_LETTERS = 16;

const SIX_BITS = new Uint8Array(128);
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  SIX_BITS[letter.charCodeAt(0)] = value;
}

/** The six bits of a letter of base64url: ten times faster than `Buffer.write`, and every line needs it several times. */
function sixBits(digest: string, at: number): number {
  return SIX_BITS[digest.charCodeAt(at)] ?? 0;
}
