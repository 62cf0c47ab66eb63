import { expect, test } from 'vitest';
import { backoffMs } from '../../src/notices/way.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// The middle of the random range.
// Promise: notices-wait-in-order
test.each([
  ['the first failure', { failures: 1, passes: true }, 5 * SECOND],
  ['the third failure', { failures: 3, passes: true }, 20 * SECOND],
  ['the hundredth failure', { failures: 100, passes: true }, HOUR],
  ['the first permanent failure', { failures: 1, passes: false }, 5 * MINUTE],
  ['the tenth permanent failure', { failures: 10, passes: false }, HOUR],
  ['a failure that asked for a longer wait', { failures: 1, passes: true, askedMs: 2 * HOUR }, 2 * HOUR],
  ['a failure that asked for a shorter wait', { failures: 3, passes: true, askedMs: SECOND }, 20 * SECOND],
  ['a failure that asked for a year', { failures: 1, passes: true, askedMs: 8_760 * HOUR }, 24 * HOUR],
])('backoffMs() bounds the wait after %s', (_what, failure, waitMs) => {
  expect(backoffMs(failure, 0.5)).toBe(waitMs);
});

test('processes that failed at the same moment wait for different times', () => {
  expect(backoffMs({ failures: 1, passes: true }, 0)).toBe(4 * SECOND);
  expect(backoffMs({ failures: 1, passes: true }, 1)).toBe(6 * SECOND);
});
