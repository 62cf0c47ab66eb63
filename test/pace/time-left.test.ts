import { expect, test } from 'vitest';
import type { PaceState } from '../../src/pace/pace-state.ts';
import type { PaceSpan } from '../../src/pace/samples.ts';
import { timeLeftRange, timeLeftWords } from '../../src/pace/time-left.ts';

const NOW = 1_000_000;
const pace: PaceState = {
  phase: 'hold',
  ratePerS: 100,
  flowPerS: 98,
  isLimiting: true,
  atCeiling: false,
  blocked: undefined,
};
const span = (acceptedPerS: number, ageMs = 1_000): PaceSpan => {
  return { fromMs: NOW - ageMs - 2_000, atMs: NOW - ageMs, acceptedPerS, throttledPerS: 0, learnedPerS: 100 };
};

test('goes from the fewest calls at the fastest to the most at the slowest of the last minute', () => {
  const spans = [span(1, 90_000), span(80), span(90), span(85), span(50), span(120)];
  expect(timeLeftRange({ fewest: 1_000, most: 2_000 }, { pace, spans }, NOW)).toEqual({ fromS: 10, toS: 25 });
});

test('a portfolio that has only a share of the pace takes longer', () => {
  const range = timeLeftRange({ fewest: 1_000, most: 1_000 }, { pace, spans: [], ownPerS: 25 }, NOW);
  expect(range).toEqual({ fromS: 10, toS: 40 });
});

test.each<[string, Partial<PaceState>]>([
  ['all calls wait', { blocked: { why: 'gone', untilMs: NOW + 5_000 } }],
  ['a door is shut', { shut: [{ kind: 'limit', why: 'status 502', untilMs: NOW, isTried: false }] }],
  ['nothing leaves', { isLimiting: false, flowPerS: 0.001 }],
])('it cannot be told while %s', (_name, changes) => {
  const range = timeLeftRange({ fewest: 10, most: 10 }, { pace: { ...pace, ...changes }, spans: [span(50)] }, NOW);
  expect(range).toBeUndefined();
});

test.each([
  [1, 5, 'less than 10 s'],
  [35, 55, '35 to 55 s'],
  [240, 360, '4 to 6 min'],
  [5_000, 8_000, '1.5 to 2 h'],
  [100, 110, '1.5 to 2 min'],
  [3_600, 3_700, 'about 60 min'],
  [200_000, 400_000, '2.5 to 5 d'],
])('%i to %i s is "%s"', (fromS, toS, words) => {
  expect(timeLeftWords({ fromS, toS })).toBe(words);
});

test('nothing to tell is told as nothing', () => {
  expect(timeLeftWords(timeLeftRange({ fewest: 0, most: 0 }, { pace, spans: [] }, NOW))).toBe('');
});
