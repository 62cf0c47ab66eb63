import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals a text so that only who knows the secret can open it: AES-256-GCM with a fresh 96-bit nonce each time
 * (NIST SP 800-38D), laid out as nonce, tag, ciphertext. `context` makes two uses of one secret independent.
 */
export function makeSeal(secret: string, context: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, context, 'limitline token', 32));
  return {
    close(text: string): string {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64');
    },
    /** Nothing when it was sealed under another secret, or changed. */
    open(sealed: string): string | undefined {
      const bytes = Buffer.from(sealed, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
