import iconv from 'iconv-lite';
import { expect, test } from 'vitest';
import { makeDecoder } from '../../../src/table/encodings/decoders.ts';
import { makeEncoder, makeEncodingTest } from '../../../src/table/encodings/encoders.ts';

test.each(['cp437', 'cp850', 'cp852', 'cp858', 'windows-1250'])(
  'every character of %s is read and written alike',
  (encoding) => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_none, byte) => byte));
    const text = makeDecoder(encoding).decode(bytes);
    const sound = [...text].filter((character) => character.isWellFormed()).join('');
    expect(sound).toBe([...iconv.decode(bytes, encoding)].filter((_one, byte) => text[byte]?.isWellFormed()).join(''));
    expect(makeDecoder(encoding).decode(makeEncoder(encoding)(sound))).toBe(sound);
  },
);

test.each([
  ['windows-1252', 'Müller €', true],
  ['windows-1252', 'Dvořák', false],
  ['cp852', 'Dvořák', true],
  ['gb18030', '株式会社', true],
  ['utf-16le', '株式会社', true],
])('%s can write all of %j: %j, and a missing character becomes a question mark', (encoding, text, has) => {
  expect(makeEncodingTest(encoding)(text)).toBe(has);
  const back = makeDecoder(encoding).decode(makeEncoder(encoding)(text));
  if (has) expect(back).toBe(text);
  else expect(back).toContain('?');
});
