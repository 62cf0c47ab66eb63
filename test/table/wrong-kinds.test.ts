import { expect, test } from 'vitest';
import { wrongKindOf } from '../../src/table/wrong-kinds.ts';

test.each([
  ['504b0304', 'This is a ZIP file: unpack it and give the file that is in it.'],
  ['1f8b08', 'This is a gzip archive: unpack it and give the file that is in it.'],
  ['255044462d', 'This is a PDF document: save it as CSV UTF-8 with commas.'],
  ['fffe0000', 'This is text in UTF-32: save it as CSV UTF-8 with commas.'],
])('a file that begins with the bytes %s is told as what it is: %s', (bytes, sentence) => {
  expect(wrongKindOf(Buffer.from(bytes, 'hex'))).toBe(sentence);
});

test.each(['', 'PK', 'name,limit', '\ufeffname'])('a file that begins with %j may be a table', (start) => {
  expect(wrongKindOf(Buffer.from(start))).toBeNull();
});
