/** The length of base64 text for this many bytes, including padding (RFC 4648, section 4). */
export function base64Length(sizeBytes: number): number {
  return 4 * Math.ceil(sizeBytes / 3);
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const PADDING = '='.charCodeAt(0);

/** The two characters for each 12 bits: one lookup for a byte and a half. */
const FIRST = Uint8Array.from({ length: 4_096 }, (_none, bits) => ALPHABET.charCodeAt(bits >> 6));
const SECOND = Uint8Array.from({ length: 4_096 }, (_none, bits) => ALPHABET.charCodeAt(bits & 63));

/**
 * Encodes the first `sizeBytes` of `from` into `to`, padded if necessary, and returns the written part of `to`. Node's
 * encoder makes a new string each time: for a large document, garbage of more than its size, which V8 frees late.
 */
export function encodeBase64(from: Uint8Array, sizeBytes: number, to: Buffer): Buffer {
  const whole = sizeBytes - (sizeBytes % 3);
  let at = 0;
  for (let n = 0; n < whole; n += 3) {
    const bits = ((from[n] as number) << 16) | ((from[n + 1] as number) << 8) | (from[n + 2] as number);
    to[at] = FIRST[bits >> 12] as number;
    to[at + 1] = SECOND[bits >> 12] as number;
    to[at + 2] = FIRST[bits & 4_095] as number;
    to[at + 3] = SECOND[bits & 4_095] as number;
    at += 4;
  }
  if (whole < sizeBytes) {
    const bits = ((from[whole] as number) << 16) | ((sizeBytes - whole === 2 ? (from[whole + 1] as number) : 0) << 8);
    to[at] = FIRST[bits >> 12] as number;
    to[at + 1] = SECOND[bits >> 12] as number;
    to[at + 2] = sizeBytes - whole === 2 ? (FIRST[bits & 4_095] as number) : PADDING;
    to[at + 3] = PADDING;
    at += 4;
  }
  return to.subarray(0, at);
}
