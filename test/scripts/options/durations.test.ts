import { expect, test } from 'vitest';
import { readDuration } from '../../../scripts/options/durations.ts';
import { durationWords } from '../../../src/console/pages/new/words.ts';

test.each([
  ['2h', 7_200_000],
  ['90m', 5_400_000],
  ['30s', 30_000],
  ['1h30m', 5_400_000],
  ['1H30M5S', 5_405_000],
])('the time %s is %i ms', (text, ms) => {
  expect(readDuration(text)).toEqual({ text, ms });
});

test.each(['', '2', 'h', '2d', '1.5h', '30m1h', '-1h', '0s', '0h0m', '577h', '2 h', '1h1h'])(
  '%j is refused as a time, and the fault gives an example',
  (text) => {
    expect(() => readDuration(text)).toThrow(/^Give (a time such as 2h|a time above 0s)/);
  },
);

test.each([
  [0.2, '1 s'],
  [89, '89 s'],
  [240, '4 min'],
  [7_200, '2.0 h'],
])('%d s are printed as %s', (seconds, words) => {
  expect(durationWords(seconds)).toBe(words);
});
