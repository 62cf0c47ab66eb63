import { createHmac, createSecretKey, hkdfSync } from 'node:crypto';

export type Chain = ReturnType<typeof makeChain>;

/**
 * What ties the entries of a trail together: HMAC-SHA-256 (RFC 2104) over an entry's text, in which the link of the entry before it
 * stands. Who has not the key can change, add and move nothing that would not be seen.
 *
 * @param key 32 bytes, kept outside Redis: `secret.key('audit')` of the installation
 */
export function makeChain(key: Uint8Array) {
  const secret = createSecretKey(key);
  const macOf = (text: string) => createHmac('sha256', secret).update(text).digest('base64url');
  return {
    /** The link of an entry, by its text: 43 characters of base64url. */
    link: macOf,
    /** What the first entry names as the link before it. */
    genesis: macOf('limitline: no entry of the audit trail'),
    /** By which a key is known without being shown: so a wrong one is told from a changed trail. */
    mark: Buffer.from(hkdfSync('sha256', key, '', 'limitline: the mark of this key', 6)).toString('hex'),
  };
}
