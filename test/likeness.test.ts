import { expect, test } from 'vitest';
import { lettersApart, likeness, plainWordsOf, smallLetters } from '../src/likeness.ts';

test.each([
  ['Straße', 'STRASSE'],
  ['Société', 'societe'],
  ['E-Mail-Adresse', ' e mail (adresse)'],
  ['Ｆｕｌｌ', 'full'],
])('%s and %s are alike', (one, other) => {
  expect(likeness(one)).toBe(likeness(other));
});

test('what differs in a letter or a digit is not alike', () => {
  expect(likeness('Name 1')).not.toBe(likeness('Name 2'));
});

test.each(['', ' - ', '*'])('of %j nothing is left', (signs) => {
  expect(likeness(signs)).toBe('');
});

test('of a megabyte in a header only the beginning is compared, though one sign of it is eighteen letters', () => {
  expect(likeness('\ufdfa'.repeat(400_000))).toBe(likeness('\ufdfa'.repeat(1_000)));
});

test('small letters lose case and accents, and keep every sign', () => {
  expect(smallLetters('Über-Café Σ*')).toBe('uber-cafe σ*');
});

test('words are parted by one space, whatever stands between them', () => {
  expect(plainWordsOf(' a -b/2  c. ')).toBe('a b 2 c');
});

test.each<[string, string, number]>([
  ['', 'abc', 3],
  ['SERVICE_URI', 'SERVICE_URL', 1],
  ['kitten', 'sitting', 3],
  ['same', 'same', 0],
])('%j and %j are %i letters apart, seen from either', (one, other, letters) => {
  expect(lettersApart(one, other)).toBe(letters);
  expect(lettersApart(other, one)).toBe(letters);
});
