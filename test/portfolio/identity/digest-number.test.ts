import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DIGEST_BYTES, digestNumber, writeDigest } from '../../../src/portfolio/identity/digest-number.ts';

const DIGESTS = [
  ...Array.from({ length: 200 }, (_none, n) => hash('sha256', String(n), 'base64url').slice(0, 16)),
  ...['AAAAAAAAAAAAAAAA', '________________', '-_-_-_-_-_-_-_-_'],
];

test('a digest is read as Buffer reads it', () => {
  for (const digest of DIGESTS) {
    const bytes = Buffer.from(digest, 'base64url');
    expect(digestNumber(digest)).toBe(Number(bytes.readBigUInt64BE(0) >> 11n));
    const table = Buffer.alloc(3 * DIGEST_BYTES);
    writeDigest(table, digest, DIGEST_BYTES);
    expect(table).toEqual(Buffer.concat([Buffer.alloc(DIGEST_BYTES), bytes, Buffer.alloc(DIGEST_BYTES)]));
  }
});
