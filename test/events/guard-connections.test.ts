import fc from 'fast-check';
import { expect, test } from 'vitest';
import { makeRate } from '../../src/events/guard-connections.ts';

test('the number of admitted events is bounded by the rate, and an event after a second’s pause is always admitted', () => {
  const pauses = fc.array(fc.nat(1_500), { minLength: 1, maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), pauses, (perSecond, waitsMs) => {
      let now = 0;
      const mayCome = makeRate({ perSecond, nowMs: () => now });
      let taken = 0;
      for (const waitMs of waitsMs) {
        now += waitMs;
        const isTaken = mayCome();
        if (isTaken) taken += 1;
        if (waitMs >= 1_000) expect(isTaken).toBe(true);
        expect(taken).toBeLessThanOrEqual(perSecond + (now * perSecond) / 1_000 + 1e-6);
      }
    }),
  );
});
