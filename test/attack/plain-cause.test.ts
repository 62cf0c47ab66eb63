import { expect, test } from 'vitest';
import { plainCause } from '../../src/console/parts/plain-cause.ts';
import { advice } from '../../src/console/parts/text.ts';
import { readCountry } from '../../src/portfolio/values/countries.ts';

test('a cell that a problem quotes is shown as it was written', () => {
  const read = readCountry('Germany (terminated)');
  if (!('problem' in read)) throw new Error('a country');
  expect(String(advice(read.problem))).toContain('Germany (terminated)');
});

test('words of ours that only begin like those of the machine stay', () => {
  const text = 'The file cannot be used: write each amount with two decimals.';
  expect(plainCause(text)).toBe(text);
});

test('what is put in plain words is the reason, and not the same word in a name before it', () => {
  const text = 'The document contract-terminated.pdf was not taken: terminated';
  expect(plainCause(text)).toBe(
    'The document contract-terminated.pdf was not taken: the connection broke before an answer came (terminated)',
  );
});
