import { describe, expect, test, vi } from 'vitest';
import type { Pace } from '../../src/pace/pace.ts';
import type { RateLimitSettings } from '../../src/stand-in/fault-settings.ts';
import { makeBucket, type Passage, rateLimitHeaders } from '../../src/stand-in/gate.ts';
import { inVirtualTime, sleep } from '../support/virtual-time.ts';

// All simulations run at once: each has its own clock, and they share the round trips to Redis.
vi.setConfig({ maxConcurrency: 40 });

/** A signal that never aborts. */
const never = () => new AbortController().signal;

/** Calls in flight of one process. */
const CALLERS = 16;
/** One direction, to the service or back. */
const LATENCY_MS = 1;

type Limiter = (settings: RateLimitSettings, nowMs: number) => Passage;
type Change = { atS: number; perS: number };

/** A service with a burst of a fifth of a second, as in the bench. */
const limited = (perS: number, headers: RateLimitSettings['headers'] = 'none'): RateLimitSettings => ({
  perS,
  burst: Math.max(1, perS / 5),
  headers,
});

/** Processes with one pace send so many calls into one limit, which may change meanwhile, and read its headers. */
function sendInto(
  settings: RateLimitSettings,
  calls: number,
  given: { processes?: number; changes?: Change[]; limiter?: Limiter } = {},
) {
  const { processes = 2, changes = [], limiter = makeBucket().pass } = given;
  return inVirtualTime(async ({ openPace }) => {
    const beginMs = Date.now();
    const seconds = () => (Date.now() - beginMs) / 1_000;
    const perSecond: number[] = [];
    let passed = 0;
    let refused = 0;
    let endS = 0;
    const send = async (pace: Pace): Promise<void> => {
      const signal = never();
      while (passed < calls) {
        const permit = await pace.take(signal);
        await sleep(LATENCY_MS);
        const change = changes.findLast(({ atS }) => seconds() >= atS);
        const now = change ? limited(change.perS, settings.headers) : settings;
        const passage = limiter(now, Date.now());
        const date = new Date(Date.now()).toUTCString();
        const headers = { date, ...rateLimitHeaders(now, passage, Date.now()) };
        await sleep(LATENCY_MS);
        if (passage.allowed) {
          passed += 1;
          endS = seconds();
          const second = Math.floor(seconds());
          perSecond[second] = (perSecond[second] ?? 0) + 1;
          await pace.answered(headers);
        } else {
          refused += 1;
          await pace.block({ why: 'too fast', because: 'limit', headers, episode: permit.episode });
        }
      }
    };
    await Promise.all(callersOf(Array.from({ length: processes }, () => openPace())).map(send));
    return { timesIdeal: endS / (calls / settings.perS), refusedShare: refused / calls, perSecond };
  });
}

/** One entry with its pace for each call that may be in flight. */
const callersOf = (paces: Pace[]): Pace[] => paces.flatMap((pace) => Array<Pace>(CALLERS).fill(pace));

/** A window that is renewed completely at its end, as many services count. */
function makeWindow(windowS: number): Limiter {
  let current = 0;
  let used = 0;
  return ({ perS }, nowMs) => {
    const window = Math.floor(nowMs / 1_000 / windowS);
    if (window !== current) used = 0;
    current = window;
    const allowed = used < perS * windowS;
    if (allowed) used += 1;
    const leftS = (window + 1) * windowS - nowMs / 1_000;
    return { allowed, remaining: perS * windowS - used, nextInS: leftS, fullInS: leftS };
  };
}

/** The share of the limit that gets through in the next eight seconds: longer than a wait, shorter than a phase. */
function usedShare(perSecond: number[], fromS: number, perS: number): number {
  return perSecond.slice(fromS, fromS + 8).reduce((sum, calls) => sum + calls, 0) / (8 * perS);
}

/**
 * The service states what is left, or allows a retry soon: one of each kind, since tables test how headers are
 * written.
 */
const QUICK = ['none'] as const;
const FORESEEN = ['x-ratelimit-seconds'] as const;
/** Each refusal costs a wait of whole seconds. */
const DEAR = ['retry-after-seconds'] as const;

// Promise: hidden-limit-used-up
describe.concurrent('a hidden limit is used up, with few refusals', () => {
  // A short run at 20 calls a second shows the cost of learning more than the limit.
  test.each([
    ...[...QUICK, ...FORESEEN].map((headers) => ({ headers, at20: 1.12, at100: 1.06 })),
    ...DEAR.map((headers) => ({ headers, at20: 1.25, at100: 1.2 })),
  ])('with headers $headers, at 20 and at 100 calls a second', async ({ headers, at20, at100 }) => {
    const [slow, fast] = await Promise.all([
      sendInto(limited(20, headers), 800),
      sendInto(limited(100, headers), 1_500),
    ]);
    expect(slow.timesIdeal).toBeLessThan(at20);
    expect(slow.refusedShare).toBeLessThan(0.02);
    expect(fast.timesIdeal).toBeLessThan(at100);
    expect(fast.refusedShare).toBeLessThan(0.01);
  });

  test.each([
    ['none', 1],
    ['retry-after-seconds', 1.1],
  ] as const)('with a burst of a whole second: %s', async (headers, most) => {
    const { timesIdeal, refusedShare } = await sendInto({ perS: 100, burst: 100, headers }, 1_200);
    expect(timesIdeal).toBeLessThan(most + 0.03);
    expect(refusedShare).toBeLessThan(0.02);
  });

  test.each([
    ['none', 1.25],
    ['x-ratelimit-seconds', 1.45],
  ] as const)('with windows of a second: %s', async (headers, most) => {
    const settings = { perS: 100, burst: 100, headers };
    const { timesIdeal, refusedShare } = await sendInto(settings, 1_200, { limiter: makeWindow(1) });
    expect(timesIdeal).toBeLessThan(most);
    expect(refusedShare).toBeLessThan(0.04);
  });

  test.each([
    ['none', 0.5],
    ['retry-after-seconds', 2],
  ] as const)('with a slow limit: %s, %s a second', async (headers, perS) => {
    const { timesIdeal, refusedShare } = await sendInto({ perS, burst: 1, headers }, 60, { processes: 1 });
    expect(timesIdeal).toBeLessThan(1.9);
    expect(refusedShare).toBeLessThan(0.5);
  });

  test('with a fast limit', async () => {
    const { timesIdeal, refusedShare } = await sendInto(limited(2_000), 6_000, { processes: 4 });
    expect(timesIdeal).toBeLessThan(1.4);
    expect(refusedShare).toBeLessThan(0.01);
  });
});

test.concurrent.each(['', '1'])(
  'an allowance that is never renewed does not slow calls down, with a reset of "%s"',
  async (reset) => {
    const perS = await inVirtualTime(async ({ openPace }) => {
      let left = 5_000;
      const send = async (pace: Pace): Promise<void> => {
        const signal = never();
        while (left > 2_500) {
          await pace.take(signal);
          await sleep(2 * LATENCY_MS);
          left -= 1;
          await pace.answered({ 'x-ratelimit-remaining': String(left), 'x-ratelimit-reset': reset });
        }
      };
      const beginMs = Date.now();
      await Promise.all(callersOf([openPace(), openPace()]).map(send));
      return 2_500 / ((Date.now() - beginMs) / 1_000);
    });
    // So many callers can send some thousands a second.
    expect(perS).toBeGreaterThan(1_000);
  },
);

describe.concurrent('a changing limit is followed', () => {
  const changes: Change[] = [
    { atS: 20, perS: 10 },
    { atS: 40, perS: 40 },
  ];

  // Promise: changed-limit-followed
  test.each([...QUICK, ...FORESEEN])('within 10 s, down and up: %s', async (headers) => {
    const { perSecond, refusedShare } = await sendInto(limited(40, headers), 1_800, { changes });
    expect(refusedShare).toBeLessThan(0.02);
    expect(usedShare(perSecond, 12, 40)).toBeGreaterThan(0.85);
    expect(usedShare(perSecond, 30, 10)).toBeGreaterThan(0.7);
    expect(usedShare(perSecond, 50, 40)).toBeGreaterThan(0.8);
  });

  // A bucket's headers may look like a window when its limit changes, and that must not be believed for good.
  // Promise: changed-limit-followed
  test.each([
    ['x-ratelimit-seconds', 1],
    ['x-ratelimit-iso', 4],
  ] as const)('far down and up again, with %s and %i processes', async (headers, processes) => {
    const back: Change[] = [
      { atS: 20, perS: 5 },
      { atS: 50, perS: 20 },
    ];
    const { perSecond } = await sendInto(limited(20, headers), 1_500, { changes: back, processes });
    // 98 s is the minimum.
    expect(perSecond.length).toBeLessThan(1.5 * 98);
  });

  // Promise: window-measured-anew
  test.each(DEAR)('upward at the next measurement: %s', async (headers) => {
    const { perSecond } = await sendInto(limited(40, headers), 2_120, { changes });
    expect(usedShare(perSecond, 30, 10)).toBeGreaterThan(0.5);
    expect(usedShare(perSecond, 85, 40)).toBeGreaterThan(0.7);
  });
});
