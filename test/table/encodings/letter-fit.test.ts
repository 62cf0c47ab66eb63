import { expect, test } from 'vitest';
import { fitOf, ODD } from '../../../src/table/encodings/letter-fit.ts';

test.each<[string, [string, string, string], [string, string, string]]>([
  ['a vowel between consonants, compared with a sign,', ['M', 'ü', 'l'], ['M', '¸', 'l']],
  ['a small letter inside a word, compared with a capital,', ['M', 'ü', 'l'], ['o', 'Š', 'l']],
  ['a capital at the beginning of a word, compared with one behind a small letter,', [' ', 'Ö', 's'], ['a', 'Ö', 's']],
  ['a dash between words, compared with one between letters,', [' ', '–', ' '], ['a', '–', 'b']],
  ['a currency sign beside a number, compared with one before a letter,', [' ', '€', '5'], ['x', '€', 'a']],
  ['ã in the Portuguese ending ão, compared with ã before another letter,', ['r', 'ã', 'o'], ['r', 'ã', 'b']],
  ['any letter, compared with an undefined byte,', ['a', 'ÿ', 'b'], ['a', '\ufffd', 'b']],
])('%s fits better', (_what, [before, character, after], [otherBefore, other, otherAfter]) => {
  expect(fitOf(character, before, after)).toBeGreaterThan(fitOf(other, otherBefore, otherAfter));
});

test.each([
  ['a', 'Ü', 'b'],
  ['M', '¤', 'l'],
  ['A', 'ü', 'B'],
])('between %j the character %j is unlikely', (before, character, after) => {
  expect(fitOf(character, before, after)).toBeLessThanOrEqual(ODD);
});
