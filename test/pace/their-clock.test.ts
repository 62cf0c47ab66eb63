import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeTheirClock } from '../../src/pace/pace.ts';

const start = Date.parse('2026-11-21T10:00:00Z');
/** The `Date` header of a service whose clock is so far ahead. */
const dateAt = (nowMs: number, aheadMs: number) => Math.floor((nowMs + aheadMs) / 1_000) * 1_000;

test('without a Date header the local clock is used', () => {
  expect(makeTheirClock().read(undefined, start)).toBe(start);
});

test('the Date header of the first answer is used as it is', () => {
  expect(makeTheirClock().read(start + 3_600_000, start + 700)).toBe(start + 3_600_000);
});

test("after a second the service's clock is known to within the gap between answers, and never estimated ahead", () => {
  const aheads = fc.integer({ min: -86_400_000, max: 86_400_000 });
  const gaps = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 60, maxLength: 200 });
  fc.assert(
    fc.property(aheads, gaps, (aheadMs, gapsMs) => {
      const clock = makeTheirClock();
      let nowMs = start;
      for (const gapMs of gapsMs) {
        nowMs += gapMs;
        const wrongMs = clock.read(dateAt(nowMs, aheadMs), nowMs) - (nowMs + aheadMs);
        expect(wrongMs).toBeLessThanOrEqual(0);
        expect(wrongMs).toBeGreaterThan(-1_000);
        if (nowMs - start > 1_050) expect(wrongMs).toBeGreaterThanOrEqual(-50);
      }
      // An answer without a date is read by what was learned.
      expect(clock.read(undefined, nowMs)).toBe(clock.read(dateAt(nowMs, aheadMs), nowMs));
    }),
  );
});

test('a service clock that was put back is followed within two minutes', () => {
  const clock = makeTheirClock();
  clock.read(dateAt(start, 3_600_000), start);
  for (let s = 1; s < 125; s += 1) clock.read(dateAt(start + s * 1_000, 0), start + s * 1_000);
  expect(clock.read(undefined, start + 125_000)).toBe(start + 125_000);
});
