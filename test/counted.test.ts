import { expect, test } from 'vitest';
import { counted } from '../src/counted.ts';

test.each([
  [0, 'row', undefined, '0 rows'],
  [1, 'row', undefined, '1 row'],
  [999, 'row', undefined, '999 rows'],
  [1_200, 'row', undefined, '1,200 rows'],
  [1_234_567, 'row', undefined, '1,234,567 rows'],
  [-1_200, 'row', undefined, '-1,200 rows'],
  [1, 'company', 'companies', '1 company'],
  [2, 'company', 'companies', '2 companies'],
])('a count of %i has the right plural of %s', (count, one, many, text) => {
  expect(counted(count, one, many)).toBe(text);
});
