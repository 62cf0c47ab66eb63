import { describe, expect, test } from 'vitest';
import type { PaceState } from '../../src/pace/pace-state.ts';
import type { PaceSample } from '../../src/pace/samples.ts';
import { timeLeftRange, timeLeftWords } from '../../src/pace/time-left.ts';

const NOW = 1_000_000_000;
const pace: PaceState = {
  phase: 'hold',
  ratePerS: 100,
  flowPerS: 98,
  isLimiting: true,
  atCeiling: false,
  blocked: undefined,
};
const calls = { fewest: 1_000, most: 1_000 };

/** Samples each two seconds up to now, after so many calls in each of these two seconds. */
function samplesOf(accepted: readonly number[], waitsUntilMs: (place: number) => number = () => 0): PaceSample[] {
  let sum = 0;
  return [0, ...accepted].map((more, place) => {
    sum += more;
    const atMs = NOW - (accepted.length - place) * 2_000;
    return { atMs, accepted: sum, throttled: 0, learnedPerS: 0, waitsUntilMs: waitsUntilMs(place) };
  });
}
const steady = (perS: number, seconds: number) => samplesOf(Array(seconds / 2).fill(2 * perS));

test.each<[string, PaceSample[], Partial<PaceState>, number | undefined, { fromS: number; toS: number }]>([
  ['what was learned, where nothing else is known', [], {}, undefined, { fromS: 10, toS: 10 }],
  ['what went lately, whatever is allowed now', steady(40, 40), { ratePerS: 1.3 }, undefined, { fromS: 25, toS: 25 }],
  [
    'both, where it has changed',
    samplesOf([...Array(10).fill(200), ...Array(5).fill(50)]),
    {},
    undefined,
    { fromS: 13, toS: 40 },
  ],
  [
    'whole windows: five seconds of all at once',
    samplesOf(Array(3).fill([160, 40, 0, 160, 40]).flat()),
    {},
    undefined,
    { fromS: 25, toS: 25 },
  ],
  ['a share, where others have the rest', steady(100, 40), {}, 25, { fromS: 10, toS: 40 }],
  [
    'nothing of the time before nobody worked',
    [...samplesOf([800, 800]).map((one) => ({ ...one, atMs: one.atMs - 60_000 }))],
    {},
    50,
    { fromS: 20, toS: 20 },
  ],
])('goes by %s', (_name, samples, changes, ownPerS, range) => {
  const left = timeLeftRange(calls, { pace: { ...pace, ...changes }, samples, ownPerS }, NOW);
  expect(left?.fromS).toBeCloseTo(range.fromS, -0.3);
  expect(left?.toS).toBeCloseTo(range.toS, -0.3);
});
