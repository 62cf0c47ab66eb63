import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../src/pace/retry-after.ts';

const now = Date.parse('2026-11-21T10:00:00Z');

test.each<[string, Record<string, string>, number | undefined]>([
  ['nothing', {}, undefined],
  ['seconds', { 'retry-after': '3' }, 3_000],
  ['no time at all', { 'retry-after': '0' }, 0],
  ['spaces around', { 'retry-after': ' 12 ' }, 12_000],
  ['a date', { 'retry-after': 'Sat, 21 Nov 2026 10:00:05 GMT' }, 5_000],
  ['a date that is past', { 'retry-after': 'Sat, 21 Nov 2026 09:00:00 GMT' }, 0],
  [
    'a date by a clock that is an hour ahead',
    { 'retry-after': 'Sat, 21 Nov 2026 11:00:05 GMT', date: 'Sat, 21 Nov 2026 11:00:00 GMT' },
    5_000,
  ],
  ['a day, capped', { 'retry-after': '86400' }, 3_600_000],
  ['a fraction', { 'retry-after': '1.5' }, undefined],
  ['a negative number', { 'retry-after': '-1' }, undefined],
  ['words', { 'retry-after': 'soon' }, undefined],
  ['a date in another form', { 'retry-after': '2026-11-21T10:00:05Z' }, undefined],
])('reads %s', (_name, headers, expected) => {
  expect(retryAfterMs(headers, now)).toBe(expected);
});

test('never asks for a wait that is negative, endless or no number', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (value, date) => {
      const wait = retryAfterMs({ 'retry-after': value, date }, now);
      expect(wait === undefined || (wait >= 0 && wait <= 3_600_000)).toBe(true);
    }),
  );
});
