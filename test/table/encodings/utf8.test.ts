import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeUtf8Decoder } from '../../../src/table/encodings/utf8.ts';
import { anyText } from '../../support/any-text.ts';

/** Decodes bytes that arrive in pieces of the given size. */
function decode(bytes: Buffer, size = bytes.length || 1): string {
  const decoder = makeUtf8Decoder();
  let text = '';
  for (let at = 0; at < bytes.length; at += size) text += decoder.decode(bytes.subarray(at, at + size));
  return text + decoder.end();
}

describe('makeUtf8Decoder', () => {
  test('decodes any text, wherever its characters are split', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 7 }), (text, size) => {
        fc.pre(!text.startsWith('\ufeff'));
        expect(decode(Buffer.from(text), size)).toBe(text);
      }),
    );
  });

  test('marks damaged bytes where TextDecoder does, and nowhere else', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        (parts, size) => {
          const bytes = Buffer.concat(parts);
          const text = decode(bytes, size);
          expect(text.replaceAll(/[\udc80-\udcff]/g, '').replaceAll('\ufffd', '')).toBe(
            new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\ufffd', ''),
          );
          expect(restore(text)).toEqual(bytes);
        },
      ),
    );
  });

  test('removes a byte order mark only at the start', () => {
    expect(decode(Buffer.from('\ufeffa\ufeff'), 1)).toBe('a\ufeff');
  });

  test('keeps a U+FFFD of the file apart from damage', () => {
    expect(decode(Buffer.from('\ufffd')).isWellFormed()).toBe(true);
    expect(decode(Buffer.of(0xff)).isWellFormed()).toBe(false);
  });
});

/** Valid characters of each length, and every way to break one. */
const FRAGMENTS = [
  Buffer.from('a'),
  Buffer.from('ü'),
  Buffer.from('€'),
  Buffer.from('\u{1f600}'),
  Buffer.from('\ufffd'),
  Buffer.of(0x80),
  Buffer.of(0xc0, 0xaf),
  Buffer.of(0xc3),
  Buffer.of(0xe2, 0x82),
  Buffer.of(0xed, 0xa0, 0x80),
  Buffer.of(0xf0, 0x9f, 0x98),
  Buffer.of(0xf4, 0x90, 0x80, 0x80),
  Buffer.of(0xff),
];

function restore(text: string): Buffer {
  return Buffer.concat(
    Array.from(text, (character) =>
      character.isWellFormed() ? Buffer.from(character) : Buffer.of(character.charCodeAt(0) & 0xff),
    ),
  );
}
