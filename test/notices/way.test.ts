import { expect, test } from 'vitest';
import { backoffMs } from '../../src/notices/way.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

// In the middle of what chance may make of it.
// Promise: notices-wait-in-order
test.each([
  ['the first failure', { failures: 1, passes: true }, 5 * SECOND],
  ['the third', { failures: 3, passes: true }, 20 * SECOND],
  ['the hundredth', { failures: 100, passes: true }, HOUR],
  ['the first of what a person has to mend', { failures: 1, passes: false }, 5 * MINUTE],
  ['the tenth of that', { failures: 10, passes: false }, HOUR],
  ['one that asked for more', { failures: 1, passes: true, askedMs: 2 * HOUR }, 2 * HOUR],
  ['one that asked for less', { failures: 3, passes: true, askedMs: SECOND }, 20 * SECOND],
  ['one that asked for a year', { failures: 1, passes: true, askedMs: 8_760 * HOUR }, 24 * HOUR],
])('after %s', (_what, failure, waitMs) => {
  expect(backoffMs(failure, 0.5)).toBe(waitMs);
});

test('processes that failed at the same moment do not come again at the same one', () => {
  expect(backoffMs({ failures: 1, passes: true }, 0)).toBe(4 * SECOND);
  expect(backoffMs({ failures: 1, passes: true }, 1)).toBe(6 * SECOND);
});
