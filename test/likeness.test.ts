import { expect, test } from 'vitest';
import { lettersApart, likeness, plainWordsOf, smallLetters } from '../src/likeness.ts';

test.each([
  ['Straße', 'STRASSE'],
  ['Société', 'societe'],
  ['E-Mail-Adresse', ' e mail (adresse)'],
  ['Ｆｕｌｌ', 'full'],
])('%s and %s have the same likeness', (one, other) => {
  expect(likeness(one)).toBe(likeness(other));
});

test('texts that differ in a letter or digit have different likenesses', () => {
  expect(likeness('Name 1')).not.toBe(likeness('Name 2'));
});

test.each(['', ' - ', '*'])('the likeness of %j is empty', (signs) => {
  expect(likeness(signs)).toBe('');
});

test('the likeness of a very long header uses only its beginning', () => {
  expect(likeness('\ufdfa'.repeat(400_000))).toBe(likeness('\ufdfa'.repeat(1_000)));
});

test('smallLetters drops case and accents, and keeps every sign', () => {
  expect(smallLetters('Über-Café Σ*')).toBe('uber-cafe σ*');
});

test('plainWordsOf separates words by one space, whatever separated them', () => {
  expect(plainWordsOf(' a -b/2  c. ')).toBe('a b 2 c');
});

test.each<[string, string, number]>([
  ['', 'abc', 3],
  ['SERVICE_URI', 'SERVICE_URL', 1],
  ['kitten', 'sitting', 3],
  ['same', 'same', 0],
])('%j and %j are %i letters apart, in both directions', (one, other, letters) => {
  expect(lettersApart(one, other)).toBe(letters);
  expect(lettersApart(other, one)).toBe(letters);
});
