import { expect, test } from 'vitest';
import { plainCause } from '../../../src/console/parts/text.ts';

test.each([
  ['read ECONNRESET', 'the connection broke before an answer came'],
  ['other side closed after status 200', 'the connection broke before an answer came after status 200'],
  ['Headers Timeout Error', 'no answer came in time'],
  ['UND_ERR_HEADERS_TIMEOUT', 'no answer came in time'],
  [
    'It is unknown whether the limit was made: sent 2026-11-28T01:00:00.000Z, then fetch failed',
    'It is unknown whether the limit was made: sent 2026-11-28T01:00:00.000Z, then the connection broke before an answer came',
  ],
  [
    'The outcome of limit requests is unknown (read ECONNRESET); next try in 4 s',
    'The outcome of limit requests is unknown (the connection broke before an answer came); next try in 4 s',
  ],
  ['status 502: fetch failed', 'status 502: fetch failed'],
  ['no whole answer within 60000 ms', 'no whole answer within 60000 ms'],
])('%j is shown as %j', (text, shown) => {
  expect(plainCause(text)).toBe(shown);
});

test('only the reason is put in plain words, and not the same word in a file name before it', () => {
  const text = 'The document contract-terminated.pdf was not taken: terminated';
  expect(plainCause(text)).toBe(
    'The document contract-terminated.pdf was not taken: the connection broke before an answer came',
  );
});

test('a message that begins like a system message stays unchanged', () => {
  const text = 'The file cannot be used: write each amount with two decimals.';
  expect(plainCause(text)).toBe(text);
});
