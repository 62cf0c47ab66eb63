import { describe, expect } from 'vitest';
import type { Pace } from '../../src/pace/pace.ts';
import { testInTime } from '../support/virtual-time.ts';

const never = new AbortController().signal;

describe.concurrent('a ceiling', () => {
  testInTime('applies to all processes together, with evenly spaced permits', async (time) => {
    const paces = Array.from({ length: 3 }, () => time.openPace({ ceilingPerS: 20 }));
    const begin = performance.now();
    await Promise.all(paces.flatMap((pace) => Array.from({ length: 10 }, () => pace.take(never))));
    const seconds = (performance.now() - begin) / 1_000;
    // The first permit is due at once, so 29 intervals lie between 30 permits.
    expect(29 / seconds).toBeLessThanOrEqual(20);
  });

  testInTime('is not exceeded, however many calls are accepted', async (time) => {
    const pace = time.openPace({ ceilingPerS: 50 });
    for (let call = 0; call < 60; call += 1) await pass(pace);
    expect(pace.state()).toMatchObject({ atCeiling: true });
    expect(pace.state().ratePerS).toBeLessThanOrEqual(50);
  });

  testInTime('leaves no higher rate behind when it is lifted', async (time) => {
    const before = time.openPace({ ceilingPerS: 50 });
    for (let call = 0; call < 60; call += 1) await pass(before);
    const lifted = time.openPace();
    await lifted.take(never);
    expect(lifted.state().ratePerS).toBeLessThanOrEqual(50);
  });

  testInTime('below one call a second is kept', async (time) => {
    const pace = time.openPace({ ceilingPerS: 0.5 });
    await pace.take(never);
    const begin = performance.now();
    await pace.take(never);
    expect(performance.now() - begin).toBeGreaterThan(1_900);
  });
});

/** Takes a permit, and reports its call as accepted. */
async function pass(pace: Pace): Promise<void> {
  await pace.take(never);
  await pace.answered();
}
