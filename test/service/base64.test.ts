import fc from 'fast-check';
import { expect, test } from 'vitest';
import { base64Length, encodeBase64 } from '../../src/service/base64.ts';

test('says what Node says, for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const to = Buffer.alloc(base64Length(bytes.length) + 8, '!');
      const encoded = encodeBase64(bytes, bytes.length, to);
      expect(encoded.toString('latin1')).toBe(Buffer.from(bytes).toString('base64'));
      expect(to.subarray(encoded.length).toString()).toBe('!'.repeat(to.length - encoded.length));
    }),
  );
});
