import { expect, test } from 'vitest';
import { sentence } from '../src/sentence.ts';

test.for([
  ['two limits were refused', 'Two limits were refused.'],
  ['https://api.example.com does not answer', 'https://api.example.com does not answer.'],
  ['', '.'],
] as const)('a phrase becomes a sentence, and an address keeps its first letter: %s', ([phrase, whole]) => {
  expect(sentence(phrase)).toBe(whole);
});
