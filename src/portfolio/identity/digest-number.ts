/**
 * The first 53 bits of a digest (16 characters of base64url) as one whole number: what hash tables in memory tell digests
 * apart by. Reading the letters here takes a tenth of what `Buffer.write` takes, and each line asks several times.
 */
export function digestNumber(digest: string): number {
  let [high, low] = [0, 0];
  for (let at = 0; at < HIGH_LETTERS; at += 1) high = (high << 6) | sixBits(digest, at);
  for (let at = HIGH_LETTERS; at < LETTERS; at += 1) low = (low << 6) | sixBits(digest, at);
  return high * LOW_SIZE + (low >>> 1);
}

/** Puts the 12 bytes of a digest into a table of many, at `start`. */
export function writeDigest(bytes: Uint8Array, digest: string, start: number): void {
  for (let [at, byte] = [0, start]; at < DIGEST_LETTERS; at += 4, byte += 3) {
    const three =
      (sixBits(digest, at) << 18) |
      (sixBits(digest, at + 1) << 12) |
      (sixBits(digest, at + 2) << 6) |
      sixBits(digest, at + 3);
    bytes[byte] = three >>> 16;
    bytes[byte + 1] = three >>> 8;
    bytes[byte + 2] = three;
  }
}

/** The length of a digest as bytes. */
export const DIGEST_BYTES = 12;

const DIGEST_LETTERS = 16;

/** 30 bits and 24, the last of which a number has no room for. */
const HIGH_LETTERS = 5;
const LETTERS = 9;
const LOW_SIZE = 2 ** 23;

const SIX_BITS = new Uint8Array(128);
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].entries()) {
  SIX_BITS[letter.charCodeAt(0)] = value;
}

function sixBits(digest: string, at: number): number {
  return SIX_BITS[digest.charCodeAt(at)] ?? 0;
}
