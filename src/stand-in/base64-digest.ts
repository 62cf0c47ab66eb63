import { createHash } from 'node:crypto';

/** The size and digest of base64 content, or that the text is not base64. */
export type Base64Digest = { valid: true; sizeBytes: number; sha256: string } | { valid: false };

/**
 * Checks base64 text (RFC 4648, section 4: padded, without line breaks) and digests its content in pieces. It keeps
 * nothing, so a document of 100 MB takes no memory.
 */
export function makeBase64Digest() {
  const sha256 = createHash('sha256');
  let valid = true;
  let sizeBytes = 0;
  /** The last one to four characters so far. Only the very last group may have padding. */
  let carried = '';

  const decode = (groups: string, shape: RegExp) => {
    valid &&= shape.test(groups);
    if (!valid) return;
    const bytes = Buffer.from(groups, 'base64');
    sizeBytes += bytes.length;
    sha256.update(bytes);
  };

  return {
    add(piece: Buffer): void {
      const text = carried + piece.toString('latin1');
      const whole = Math.max(0, Math.floor((text.length - 1) / 4) * 4);
      carried = text.slice(whole);
      decode(text.slice(0, whole), /^[A-Za-z0-9+/]*$/);
    },
    end(): Base64Digest {
      decode(carried, /^(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?$/);
      return valid ? { valid, sizeBytes, sha256: sha256.digest('hex') } : { valid };
    },
  };
}
