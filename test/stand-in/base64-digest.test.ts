import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeBase64Digest } from '../../src/stand-in/base64-digest.ts';

const digestOf = (...pieces: string[]) => {
  const digest = makeBase64Digest();
  for (const piece of pieces) digest.add(Buffer.from(piece));
  return digest.end();
};

/** The same text in pieces, cut where the numbers say. */
const cut = (text: string, places: number[]) => {
  const ends = [...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b);
  return ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
};

test('any content is digested, in whatever pieces it comes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 8 }), (content, places) => {
      const base64 = Buffer.from(content).toString('base64');
      expect(digestOf(...cut(base64, places))).toEqual({
        valid: true,
        sizeBytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
      });
    }),
  );
});

test('one bad character is found anywhere, in whatever pieces the text comes', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 1, maxLength: 60 }),
      fc.nat(),
      fc.constantFrom('-', '_', '=', ' ', '\n', '\\', '.', 'é'),
      fc.array(fc.nat(), { maxLength: 4 }),
      (content, place, bad, places) => {
        const base64 = Buffer.from(content).toString('base64').replaceAll('=', '');
        const at = place % base64.length;
        // A character in place of another, with one more after it: not even '=' may stand there.
        const spoiled = `${base64.slice(0, at)}${bad}${base64.slice(at + 1)}A`;
        expect(digestOf(...cut(spoiled, places))).toEqual({ valid: false });
      },
    ),
  );
});

test.each(['Q', 'QQ', 'QUI', 'QQ=', 'Q===', '====', 'QQ==QQ==', 'QUJD\n', 'QUJDQ'])('%j is not base64', (text) => {
  expect(digestOf(text)).toEqual({ valid: false });
});
