import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { DIGEST_BYTES, digestOf, lettersAsNumber, writeDigest } from '../../../src/portfolio/identity/digest.ts';

const DIGESTS = [
  ...Array.from({ length: 200 }, (_none, n) => digestOf(String(n))),
  'AAAAAAAAAAAAAAAA',
  '________________',
  '-_-_-_-_-_-_-_-_',
];

test('a digest is the first 96 bits of the SHA-256', () => {
  expect(digestOf('Acme')).toBe(hash('sha256', 'Acme', 'buffer').subarray(0, DIGEST_BYTES).toString('base64url'));
});

test('writeDigest writes the bytes that Buffer writes', () => {
  for (const digest of DIGESTS) {
    const bytes = Buffer.from(digest, 'base64url');
    const table = Buffer.alloc(3 * DIGEST_BYTES);
    writeDigest(table, digest, DIGEST_BYTES);
    expect(table).toEqual(Buffer.concat([Buffer.alloc(DIGEST_BYTES), bytes, Buffer.alloc(DIGEST_BYTES)]));
  }
});

test('lettersAsNumber reads the bits that Buffer reads', () => {
  for (const digest of DIGESTS) {
    const all = Buffer.from(digest, 'base64url').reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
    expect(lettersAsNumber(digest, 0, 1)).toBe(Number(all >> 90n));
    expect(lettersAsNumber(digest, 1, 7) >>> 0).toBe(Number((all >> 54n) & 0xffffffffn));
    expect(lettersAsNumber(digest, 7, 12)).toBe(Number((all >> 24n) & 0x3fffffffn));
  }
});
