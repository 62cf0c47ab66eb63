import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeTheirClock } from '../../src/pace/pace.ts';

const start = Date.parse('2026-11-21T10:00:00Z');
/** What a service whose clock is so far ahead writes as its `Date`. */
const dateAt = (nowMs: number, aheadMs: number) => Math.floor((nowMs + aheadMs) / 1_000) * 1_000;

test('of a service that never says its time, ours is taken', () => {
  expect(makeTheirClock().read(undefined, start)).toBe(start);
});

test('a first answer is taken by its word', () => {
  expect(makeTheirClock().read(start + 3_600_000, start + 700)).toBe(start + 3_600_000);
});

test('is known to the gap between two answers once a second has passed, and is never ahead of the truth', () => {
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

test('a clock that is put back is followed within two minutes', () => {
  const clock = makeTheirClock();
  clock.read(dateAt(start, 3_600_000), start);
  for (let s = 1; s < 125; s += 1) clock.read(dateAt(start + s * 1_000, 0), start + s * 1_000);
  expect(clock.read(undefined, start + 125_000)).toBe(start + 125_000);
});
