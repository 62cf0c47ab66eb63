import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

export type Chain = ReturnType<typeof makeChain>;

/**
 * Links the entries of a trail: HMAC-SHA-256 (RFC 2104) over an entry's text, which contains the link of the entry before. Without the key
 * any change, addition or move of entries is detected.
 *
 * @param key 32 bytes, kept outside Redis: `secret.key('audit')` of the installation
 */
export function makeChain(key: Uint8Array) {
  const secret = createSecretKey(key);
  const macOf = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    /** The link of an entry's text: 43 characters of base64url. */
    link: macOf,
    /** The previous link that the first entry names. */
    genesis: macOf('limitline: no entry of the audit trail'),
    /** A digest that identifies the key without showing it, to tell a wrong key from a changed trail. */
    mark: Buffer.from(hkdfSync('sha256', key, '', 'limitline: the mark of this key', 6)).toString('hex'),
  };
}
