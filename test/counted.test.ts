import { expect, test } from 'vitest';
import { counted } from '../src/counted.ts';

test.each([
  [0, 'row', undefined, '0 rows'],
  [1, 'row', undefined, '1 row'],
  [1_200, 'row', undefined, '1,200 rows'],
  [1, 'company', 'companies', '1 company'],
  [2, 'company', 'companies', '2 companies'],
])('%i %s', (count, one, many, words) => {
  expect(counted(count, one, many)).toBe(words);
});
