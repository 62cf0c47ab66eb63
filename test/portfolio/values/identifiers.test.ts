import { expect, test } from 'vitest';
import { readIdentifier } from '../../../src/portfolio/values/identifiers.ts';

test.each([
  ['a zero-width space', 'R-1\u200b', 'U+200B'],
  ['a direction mark', 'R-1\u200e', 'U+200E'],
  ['a soft hyphen', 'R\u00ad-1', 'U+00AD'],
  ['a word joiner', '\u2060R-1', 'U+2060'],
  ['a zero-width no-break space', 'R-\ufeff1', 'U+FEFF'],
  ['a zero-width joiner', 'R-1\u200d', 'U+200D'],
])('an identifier with %s is a problem that names the invisible character', (_what, text, sign) => {
  expect(readIdentifier(text)).toEqual({
    problem: `The cell holds the character ${sign}, which cannot be seen: type the cell again.`,
  });
});

test('an identifier in any script is read unchanged', () => {
  for (const text of ['R-1', 'Größe 7', '東京-1', 'שלום', 'क्ष']) expect(readIdentifier(text)).toEqual({ value: text });
});
