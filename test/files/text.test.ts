import { expect, test } from 'vitest';
import { wholeCharacters } from '../../src/files/text.ts';

test.each([
  [[0x41, 0xc3], 1],
  [[0x41, 0xc3, 0xbc], 3],
  [[0xe2, 0x82], 0],
  [[0xf0, 0x9f, 0x98], 0],
  [[0xf0, 0x9f, 0x98, 0x80], 4],
  [[0x80, 0x80, 0x80, 0x80], 4],
  [[], 0],
])('the first whole characters of the bytes %j take %i bytes', (bytes, length) => {
  expect(wholeCharacters(Buffer.from(bytes))).toHaveLength(length);
});
