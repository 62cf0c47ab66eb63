import { CronExpressionParser } from 'cron-parser';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { latestMoment, nextMoment } from '../../src/schedule/moments.ts';

type When = { pattern: string; tz: string };

/** The next moments in UTC. */
function after(when: When, from: string, count: number): string[] {
  const found: string[] = [];
  for (let atMs = Date.parse(from); found.length < count; ) {
    atMs = nextMoment(when, atMs);
    found.push(new Date(atMs).toISOString().slice(0, 16));
  }
  return found;
}

/** The same moments, searched backwards from the last one. */
function before(when: When, last: string, count: number): string[] {
  const found: string[] = [];
  for (let atMs = Date.parse(`${last}Z`); found.length < count; atMs -= 1) {
    atMs = latestMoment(when, atMs);
    found.unshift(new Date(atMs).toISOString().slice(0, 16));
  }
  return found;
}

describe('when clocks change', () => {
  test.each<[string, string, string, string, string[]]>([
    [
      'a time that a spring night lacks comes once, an hour later by the clock',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-03-28T00:00Z',
      ['2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30'],
    ],
    [
      'a time that an autumn night has twice comes once, the first time',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-24T00:00Z',
      ['2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30'],
    ],
    [
      'a time is not repeated if the search begins between its two occurrences',
      '30 2 * * *',
      'Europe/Berlin',
      '2026-10-25T00:31Z',
      ['2026-10-26T01:30', '2026-10-27T01:30'],
    ],
    [
      'a missing time on one weekday comes on that weekday only',
      '30 2 * * 0',
      'Europe/Berlin',
      '2026-03-27T00:00Z',
      ['2026-03-29T01:30', '2026-04-05T00:30'],
    ],
    [
      'two times that coincide because of the change come once',
      '30 2,3 * * *',
      'Europe/Berlin',
      '2026-03-28T20:00Z',
      ['2026-03-29T01:30', '2026-03-30T00:30', '2026-03-30T01:30'],
    ],
    [
      'a missing time in New York comes an hour later',
      '30 2 * * *',
      'America/New_York',
      '2026-03-07T12:00Z',
      ['2026-03-08T07:30', '2026-03-09T06:30'],
    ],
    [
      'a repeated time in New York comes once',
      '30 1 * * *',
      'America/New_York',
      '2026-10-31T12:00Z',
      ['2026-11-01T05:30', '2026-11-02T06:30'],
    ],
    [
      'a missing midnight in Santiago comes at the end of the gap',
      '30 0 * * *',
      'America/Santiago',
      '2026-09-05T00:29Z',
      ['2026-09-05T04:30', '2026-09-06T04:30', '2026-09-07T03:30'],
    ],
    [
      'a missing midnight in Cairo comes at the end of the gap',
      '30 0 * * *',
      'Africa/Cairo',
      '2026-04-23T00:29Z',
      ['2026-04-23T22:30', '2026-04-24T21:30', '2026-04-25T21:30'],
    ],
    [
      'a missing time in a gap of half an hour comes half an hour later',
      '15 2 * * *',
      'Australia/Lord_Howe',
      '2026-10-03T00:00Z',
      ['2026-10-03T15:45', '2026-10-04T15:15'],
    ],
    [
      'every hour of an autumn night comes, also the repeated one',
      '0 * * * *',
      'Europe/Berlin',
      '2026-10-24T23:30Z',
      ['2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00'],
    ],
    [
      'every half hour of a spring night comes',
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-03-29T00:00Z',
      ['2026-03-29T00:30', '2026-03-29T01:00', '2026-03-29T01:30'],
    ],
  ])('%s', (_what, pattern, tz, from, moments) => {
    expect(after({ pattern, tz }, from, moments.length)).toEqual(moments);
    expect(before({ pattern, tz }, moments.at(-1) ?? '', moments.length)).toEqual(moments);
  });
});

test('a moment itself is the latest moment, and not the next one', () => {
  const when = { pattern: '30 2 * * *', tz: 'UTC' };
  const atMs = Date.parse('2026-11-22T02:30Z');
  expect(latestMoment(when, atMs)).toBe(atMs);
  expect(latestMoment(when, atMs - 1)).toBe(atMs - 86_400_000);
  expect(nextMoment(when, atMs)).toBe(atMs + 86_400_000);
});

test('29 February comes after eight years if a century year has none, and an impossible day is an error', () => {
  expect(after({ pattern: '0 0 29 2 *', tz: 'UTC' }, '2096-03-01T00:00Z', 1)).toEqual(['2104-02-29T00:00']);
  expect(() => nextMoment({ pattern: '0 0 30 2 *', tz: 'UTC' }, 0)).toThrow('never comes');
});

const field = (from: number, to: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: from, max: to }).map(String),
    fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to })).map(([one, other]) => {
      return `${Math.min(one, other)}-${Math.max(one, other)}`;
    }),
    fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 2, maxLength: 3 }).map((list) => list.join(',')),
  );

test('without clock changes the moments equal those of cron-parser, in both directions', () => {
  // Days only to 28, so that each pattern comes soon.
  const patterns = fc.tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 6));
  const starts = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2030-01-01T00:00Z') });
  fc.assert(
    fc.property(patterns, fc.constantFrom('UTC', 'Asia/Kolkata', 'Asia/Tokyo'), starts, (fields, tz, fromMs) => {
      const pattern = fields.join(' ');
      const theirs = CronExpressionParser.parse(pattern, { tz, currentDate: new Date(fromMs) });
      const found = nextMoment({ pattern, tz }, fromMs);
      expect(found).toBe(theirs.next().getTime());
      expect(latestMoment({ pattern, tz }, found)).toBe(found);
      expect(latestMoment({ pattern, tz }, found - 1)).toBeLessThanOrEqual(fromMs);
    }),
    { numRuns: 60 },
  );
});
