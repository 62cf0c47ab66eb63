import { expect, test } from 'vitest';
import { linesOfSameBuyer } from '../../../scripts/options/import-options.ts';

// Promise: same-buyer-by-a-person
test('lines are given one by one, as ranges and as lists', () => {
  expect(linesOfSameBuyer(['12', '3-5', '5,7'])).toEqual([3, 4, 5, 7, 12]);
});

test.each(['', 'x', '5-3', '0', '1-5000'])('"%s" is refused as a list of lines', (arg) => {
  expect(() => linesOfSameBuyer([arg])).toThrow(/--same-buyer/);
});
