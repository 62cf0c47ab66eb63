import { expect, test } from 'vitest';
import { fitted, widthOf } from '../../../scripts/terminal/width.ts';

test.each([
  ['abc', 3, 'ab'],
  ['株式会社', 8, '株'],
  ['e\u0301a\u0301x', 3, 'e\u0301a\u0301'],
  ['💶x', 3, '💶'],
  ['Münch', 5, 'Mü'],
])('%s takes %i columns, and %s fits into two', (text, width, two) => {
  expect(widthOf(text)).toBe(width);
  expect(fitted(text, 2)).toBe(two);
});
