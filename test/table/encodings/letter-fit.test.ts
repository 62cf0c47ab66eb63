import { expect, test } from 'vitest';
import { fitOf, ODD } from '../../../src/table/encodings/letter-fit.ts';

test.each<[string, [string, string, string], [string, string, string]]>([
  ['a vowel between consonants than a sign there', ['M', 'ü', 'l'], ['M', '¸', 'l']],
  ['a small letter inside a word than a capital', ['M', 'ü', 'l'], ['o', 'Š', 'l']],
  ['a capital at the beginning of a word than behind a small letter', [' ', 'Ö', 's'], ['a', 'Ö', 's']],
  ['a dash between words than between letters', [' ', '–', ' '], ['a', '–', 'b']],
  ['a currency beside a number than before a letter', [' ', '€', '5'], ['x', '€', 'a']],
  ['the last letter of a Portuguese nasal than of any other word', ['r', 'ã', 'o'], ['r', 'ã', 'b']],
  ['any letter than a byte without a meaning', ['a', 'ÿ', 'b'], ['a', '\ufffd', 'b']],
])('%s fits better', (_what, [before, character, after], [otherBefore, other, otherAfter]) => {
  expect(fitOf(character, before, after)).toBeGreaterThan(fitOf(other, otherBefore, otherAfter));
});

test.each([
  ['a', 'Ü', 'b'],
  ['M', '¤', 'l'],
  ['A', 'ü', 'B'],
])('between %j the character %j is hardly meant', (before, character, after) => {
  expect(fitOf(character, before, after)).toBeLessThanOrEqual(ODD);
});
