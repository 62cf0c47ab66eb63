import { expect, test } from 'vitest';
import type { PaceState } from '../../src/pace/pace-words.ts';
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
const waits = (because: string, ms: number) => ({ blocked: { why: 'gone', because, untilMs: NOW + ms } });

/**
 * Samples each two seconds until now with these numbers of accepted calls; `untilMs` gives the end of each one's
 * wait.
 */
function samplesOf(accepted: readonly number[], untilMs: (atMs: number, place: number) => number = () => 0) {
  let sum = 0;
  return [0, ...accepted].map((more, place): PaceSample => {
    sum += more;
    const atMs = NOW - (accepted.length - place) * 2_000;
    return { atMs, accepted: sum, throttled: 0, learnedPerS: 0, waitsUntilMs: untilMs(atMs, place) };
  });
}
const steady = (perS: number, seconds = 40) => samplesOf(Array(seconds / 2).fill(2 * perS));
const before = (samples: PaceSample[], ms: number) => samples.map((one) => ({ ...one, atMs: one.atMs - ms }));

type Seen = { samples: PaceSample[]; now?: Partial<PaceState>; ownPerS?: number };

test.each<[string, Seen, [number, number]]>([
  ['the learned rate, if nothing else is known', { samples: [] }, [10, 10]],
  ['the accepted calls, whatever rate is allowed now', { samples: steady(40), now: { ratePerS: 1.3 } }, [25, 25]],
  ['both, if they are near each other', { samples: steady(80) }, [10, 12.5]],
  [
    'both, if the limit has just changed',
    { samples: samplesOf([...Array(12).fill(200), ...Array(3).fill(50)]), now: { ratePerS: 25 } },
    [1_000 / 85, 40],
  ],
  ['whole windows of five seconds', { samples: samplesOf(Array(4).fill([160, 40, 0, 160, 40]).flat()) }, [25, 25]],
  [
    'a stated rate, whatever was accepted before',
    { samples: samplesOf([8, 8, 8, 80, 80, 80]), now: { statedPerS: 40 } },
    [25, 25],
  ],
  [
    'the present flow, if no limit holds it back',
    { samples: steady(50), now: { isLimiting: false, flowPerS: 50 } },
    [20, 20],
  ],
  ["the portfolio's share, if others use the rest", { samples: steady(100), ownPerS: 25 }, [10, 40]],
  ["the portfolio's own rows, if nothing else is known", { samples: [], now: { ratePerS: 50 }, ownPerS: 50 }, [20, 20]],
  ['no samples from before an idle time', { samples: before(steady(10), 60_000) }, [10, 10]],
  ['the long run, with a short wait as one of many', { samples: steady(40), now: waits('limit', 1_000) }, [25, 25]],
  [
    'the long run, with calls accepted between two refusals of a proxy',
    { samples: steady(100), now: waits('outage', 500) },
    [10, 10],
  ],
])('the time left is computed from %s', (_name, { samples, now = {}, ownPerS }, [fromS, toS]) => {
  const left = timeLeftRange({ fewest: 1_000, most: 1_000 }, { pace: { ...pace, ...now }, samples, ownPerS }, NOW);
  expect(left?.fromS).toBeCloseTo(fromS, 5);
  expect(left?.toS).toBeCloseTo(toS, 5);
});

test('the time left ranges from the fewest calls to the most', () => {
  const left = timeLeftRange({ fewest: 1_000, most: 2_000 }, { pace, samples: steady(100) }, NOW);
  expect(left).toEqual({ fromS: 10, toS: 20 });
});

/** A window of a minute whose calls were all made in its first four seconds; it began so many seconds ago. */
function minuteOf(calls: number, agoS: number): PaceSample[] {
  const endsMs = NOW - agoS * 1_000 + 60_000;
  const [from, burst] = [NOW - agoS * 1_000, { throttled: 0, learnedPerS: 0 }];
  const at = (s: number, share: number, waitsUntilMs: number) => {
    return { atMs: from + s * 1_000, accepted: calls * share, waitsUntilMs, ...burst };
  };
  const pauses = Math.min(agoS, 60);
  return [at(0, 0, 0), at(2, 0.5, 0), at(4, 1, endsMs), at(pauses, 1, agoS < 60 ? endsMs : 0)];
}

// Promise: time-left-as-range
test.each<[string, number, PaceSample[], number]>([
  ['one more window', 1_600, minuteOf(2_400, 10), 50 + 1_600 / 600],
  ['three more windows', 5_400, minuteOf(2_400, 10), 50 + 120 + 600 / 600],
  ['the present window', 1_200, minuteOf(2_400, 60), 1_200 / 600],
  ['the present window and the next', 3_000, minuteOf(2_400, 60), 60 + 600 / 600],
])('the time left includes waits for long windows: %s', (_name, calls, samples, seconds) => {
  const left = timeLeftRange({ fewest: calls, most: calls }, { pace: { ...pace, tellsWindows: true }, samples }, NOW);
  expect(left?.fromS).toBeCloseTo(seconds, 1);
  expect(left?.toS).toBe(left?.fromS);

  // If no header describes a window, the wait may have been the only one.
  const now: Partial<PaceState> = samples.at(-1)?.waitsUntilMs ? waits('asked', 50_000) : {};
  const guessed = timeLeftRange({ fewest: calls, most: calls }, { pace: { ...pace, ...now }, samples }, NOW);
  expect(guessed?.fromS).toBeCloseTo((now.blocked ? 50 : 0) + calls / 600, 1);
  expect(guessed?.toS).toBeCloseTo(seconds, 1);
});

test('the time left does not include a wait for a window that has ended', () => {
  const gone = before(minuteOf(2_400, 60), 30_000).concat(
    steady(100, 30).map((one) => ({ ...one, accepted: 2_400 + one.accepted })),
  );
  expect(timeLeftRange({ fewest: 1_000, most: 1_000 }, { pace, samples: gone }, NOW)).toEqual({ fromS: 10, toS: 10 });
});

// Promise: no-time-left-guessed
test.each<[string, Partial<PaceState>]>([
  ['the service is unreachable', waits('outage', 5_000)],
  ['the service is unreachable and nothing leaves', { ...waits('outage', 500), flowPerS: 0 }],
  ['the credentials are refused', waits('credentials', 5_000)],
  ['a breaker is tripped', { tripped: [{ kind: 'limit', why: 'status 502', untilMs: NOW, isTried: false }] }],
  ['a queue is paused', { paused: ['companies'] }],
  ['no call was ever accepted', { accepted: 0 }],
  ['nothing leaves', { isLimiting: false, flowPerS: 0.001 }],
])('the time left is unknown while %s', (_name, now) => {
  const samples = before(steady(50), 20_000);
  expect(timeLeftRange({ fewest: 10, most: 10 }, { pace: { ...pace, ...now }, samples }, NOW)).toBeUndefined();
});

test.each([
  [1, 5, 'less than 10 s'],
  [35, 55, '35 to 55 s'],
  [240, 360, '4 to 6 min'],
  [5_000, 8_000, '1.5 to 2 h'],
  [100, 110, '1.5 to 2 min'],
  [3_600, 3_700, 'about 60 min'],
  [200_000, 400_000, '2.5 to 5 d'],
])('%i to %i s is described as "%s"', (fromS, toS, words) => {
  expect(timeLeftWords({ fromS, toS })).toBe(words);
});

test('nothing left is described by an empty text', () => {
  expect(timeLeftWords(timeLeftRange({ fewest: 0, most: 0 }, { pace, samples: [] }, NOW))).toBe('');
});
