import { describe, expect, test, vi } from 'vitest';
import type { Pace } from '../../src/pace/pace.ts';
import type { RateLimitSettings } from '../../src/stand-in/fault-settings.ts';
import { makeBucket } from '../../src/stand-in/gate.ts';
import { FOREIGN_WORDS, type ForeignLimiter, makeForeignWindow, makeLimitReq } from '../support/foreign-limiters.ts';
import { inVirtualTime, sleep } from '../support/virtual-time.ts';

/** Calls in flight of one process. */
const CALLERS = 16;

/** What became of a portfolio's calls: how long all took, those refused, and how many passed in each second. */
type Sent = { endS: number; refused: number; perSecond: number[] };

type Sending = {
  calls: number;
  processes?: number;
  callers?: number;
  /** One way, to the service or back; drawn anew each time. */
  latencyMs?: () => number;
  /** From a permit to the moment at which its call leaves, in the process of that number; drawn anew each time. */
  readyMs?: (process: number) => number;
  /** Time of the service's life that is over when the first call comes. */
  beginMs?: number;
};

/** Processes with one pace send so many calls through a limiter, in virtual time, and hear what it says. */
function sendThrough(
  limiter: ForeignLimiter,
  { calls, processes = 1, callers = CALLERS, latencyMs = () => 1, readyMs = () => 0, beginMs = 0 }: Sending,
): Promise<Sent> {
  return inVirtualTime(async ({ openPace }) => {
    if (beginMs > 0) await sleep(beginMs);
    const startMs = Date.now();
    const sent: Sent = { endS: 0, refused: 0, perSecond: [] };
    let passed = 0;
    const send = async (pace: Pace, process: number): Promise<void> => {
      const { signal } = new AbortController();
      while (passed < calls) {
        const permit = await pace.take(signal);
        const ready = readyMs(process);
        if (ready > 0) {
          if (permit.isLost()) continue;
          await sleep(ready);
          if (!permit.leave()) continue;
        }
        await sleep(latencyMs());
        const { allowed, headers, delayMs = 0, unnamed = false } = limiter(Date.now());
        if (delayMs > 0) await sleep(delayMs);
        await sleep(latencyMs());
        if (!allowed) {
          sent.refused += 1;
          const because = unnamed ? 'outage' : 'limit';
          await pace.block({ why: 'refused', because, mayBeLimit: unnamed, headers, episode: permit.episode });
          continue;
        }
        passed += 1;
        if (passed <= calls) sent.endS = (Date.now() - startMs) / 1_000;
        const second = Math.floor((Date.now() - startMs) / 1_000);
        sent.perSecond[second] = (sent.perSecond[second] ?? 0) + 1;
        await pace.answered(headers);
      }
    };
    const paces = Array.from({ length: processes }, () => openPace());
    await Promise.all(paces.flatMap((pace, process) => Array.from({ length: callers }, () => send(pace, process))));
    return sent;
  });
}

// All simulations at a time: each has a clock of its own, and the trips to Redis of all of them are made together.
vi.setConfig({ maxConcurrency: 40 });

const PER_S = 40;

/** Long enough for the limit to be learned and used for some time, at 15 s. */
const CALLS = 600;

type Family = keyof typeof FOREIGN_WORDS;

/** A window of 40 calls for each of its seconds, as its packages tell of it. */
const windowOf = (family: Family, windowS: number) =>
  makeForeignWindow({ quota: PER_S * windowS, windowS }, FOREIGN_WORDS[family]);

/** On the way for 1 to 20 ms, in an order that is the same each time. */
function uneven(): () => number {
  let call = 0;
  return () => {
    call += 7;
    return 1 + (call % 20);
  };
}

// Promise: hidden-limit-used-up
describe.concurrent('limiters of others are used to within 5 percent, and hardly ever refuse', () => {
  test.each<[Family, number, number]>([
    ['draft 6', 5, 1],
    ['draft 8', 1, 8],
    ['legacy', 5, 8],
    ['flexible refusals', 1, 1],
  ])('%s, a window of %i s, %i processes', async (family, windowS, processes) => {
    const latencyMs = processes === 1 ? () => 1 : uneven();
    const sent = await sendThrough(windowOf(family, windowS), { calls: CALLS, processes, latencyMs, beginMs: 370 });
    // What is learned costs a second of a short run like this one, and of a long one the same.
    expect(sent.endS).toBeLessThan(1.05 * (CALLS / PER_S) + 1);
    expect(sent.refused).toBeLessThanOrEqual(CALLS / 200);
  });

  // Promise: long-window-used-up
  test('a long window is used up at once', async () => {
    const [windowS, quota] = [15, 15 * PER_S];
    const sent = await sendThrough(windowOf('legacy', windowS), { calls: 1.5 * quota, callers: 8 });
    expect(sent.perSecond.slice(0, 6).reduce((sum, calls) => sum + calls, 0)).toBe(quota);
    expect(sent.endS).toBeLessThan(20);
    expect(sent.refused).toBeLessThanOrEqual(1);
  });

  test("nginx' limit_req where it refuses by 503, as it does unless it is told otherwise", async () => {
    const limiter = makeLimitReq({ perS: PER_S, burst: 20, nodelay: true });
    const sent = await sendThrough((nowMs) => ({ ...limiter(nowMs), unnamed: true }), { calls: CALLS });
    expect(sent.endS).toBeLessThan(1.05 * (CALLS / PER_S));
    expect(sent.refused).toBeLessThanOrEqual(CALLS / 100);
  });

  test("nginx' limit_req that delays", async () => {
    const sent = await sendThrough(makeLimitReq({ perS: PER_S, burst: 20, nodelay: false }), { calls: CALLS });
    expect(sent.endS).toBeLessThan(1.05 * (CALLS / PER_S));
    expect(sent.refused).toBeLessThanOrEqual(CALLS / 100);
  });
});

// Promise: window-measured-anew
test.concurrent('a window of which refusals alone tell is measured anew after some minutes, since it may be more by then', async () => {
  const [before, after] = [5, 50].map((quota) =>
    makeForeignWindow({ quota, windowS: 5 }, FOREIGN_WORDS['flexible refusals']),
  ) as [ForeignLimiter, ForeignLimiter];
  const raisedMs = Date.UTC(2026, 0, 1, 8, 31);
  const sent = await sendThrough((nowMs) => (nowMs < raisedMs ? before : after)(nowMs), { calls: 1_000 });
  expect(sent.perSecond.slice(100, 200).reduce((sum, calls) => sum + calls, 0)).toBeLessThan(110);
  expect(sent.endS).toBeLessThan(450);
  expect(sent.refused).toBeLessThan(20);
});

// Promise: pace-shared-by-processes
test.concurrent('eight processes that stand still at times do not crowd into a limit afterwards', async () => {
  const bucket = makeBucket();
  const settings: RateLimitSettings = { perS: 100, burst: 20, headers: 'none' };
  // All of them for 300 ms in each three seconds, as where Redis is slow or the machine has other things to do.
  const readyMs = () => Math.max(5, 300 - (Date.now() % 3_000));
  const sent = await sendThrough((nowMs) => ({ ...bucket.pass(settings, nowMs), headers: {} }), {
    calls: 1_000,
    processes: 8,
    latencyMs: uneven(),
    readyMs,
  });
  expect(sent.endS).toBeLessThan(1.3 * 10);
  expect(sent.refused).toBeLessThanOrEqual(15);
});

test.concurrent('of a window that went by while a process stood still, the rest is used faster', async () => {
  const standsStill = () => Math.max(1, 1_000 - (Date.now() % 5_000));
  const sent = await sendThrough(windowOf('draft 8', 5), { calls: CALLS, readyMs: standsStill, beginMs: 2_500 });
  // A tenth, since its first second stands still too.
  expect(sent.endS).toBeLessThan(1.1 * (CALLS / PER_S));
  expect(sent.refused).toBeLessThanOrEqual(CALLS / 100);
});

test.concurrent('two servers that count on their own side by side are not taken for one', async () => {
  const servers = [0, 1].map(() => makeForeignWindow({ quota: PER_S / 2, windowS: 1 }, FOREIGN_WORDS.fastify));
  let call = 0;
  const sent = await sendThrough(
    (nowMs) => {
      call += 1;
      return servers[call % 2]?.(nowMs) ?? { allowed: false, headers: {} };
    },
    { calls: CALLS },
  );
  expect(sent.endS).toBeLessThan(1.5 * (CALLS / PER_S));
});

// Promise: hidden-limit-used-up
test.concurrent('where others use half of a window, what they leave is spread, and few calls are refused', async () => {
  const shared = windowOf('draft 8', 5);
  const sent = await sendThrough(
    (nowMs) => {
      // For each call of ours another, of somebody else.
      shared(nowMs);
      return shared(nowMs);
    },
    { calls: 500 },
  );
  expect(sent.endS).toBeLessThan(1.2 * (500 / (PER_S / 2)));
  expect(sent.refused).toBeLessThanOrEqual(10);
});

test.concurrent('a measured rate is believed on where fewer calls come for a while', async () => {
  const beginMs = Date.UTC(2026, 0, 1, 8, 30);
  const isSlow = () => Date.now() > beginMs + 20_000 && Date.now() < beginMs + 60_000;
  // Each answer takes a second for a while, so that a fifth of each window is used.
  const sent = await sendThrough(makeForeignWindow({ quota: 5, windowS: 1 }, FOREIGN_WORDS.fastify), {
    calls: 300,
    callers: 1,
    latencyMs: () => (isSlow() ? 500 : 1),
  });
  expect(sent.perSecond.slice(62, 82).reduce((sum, calls) => sum + calls, 0)).toBeGreaterThan(90);
});

test.concurrent('where a policy is all that is told and others use half of it, what refusals showed is kept to', async () => {
  const shared = makeForeignWindow({ quota: PER_S / 2, windowS: 1 }, (_state, { quota, windowS }) => ({
    'ratelimit-policy': `"default";q=${quota};w=${windowS}`,
  }));
  const sent = await sendThrough(
    (nowMs) => {
      shared(nowMs);
      return shared(nowMs);
    },
    { calls: 500, processes: 2 },
  );
  expect(sent.refused).toBeLessThanOrEqual(25);
});

test.concurrent('where others who used half of a small window are gone, all of it is used again', async () => {
  const shared = makeForeignWindow({ quota: 5, windowS: 1 }, FOREIGN_WORDS.fastify);
  const [fromMs, untilMs] = [Date.UTC(2026, 0, 1, 8, 31), Date.UTC(2026, 0, 1, 8, 32)];
  let others = 0;
  const sent = await sendThrough(
    (nowMs) => {
      // Five in two seconds, whatever is left for us.
      const asked = Math.floor((Math.min(nowMs, untilMs) - fromMs) / 400);
      for (; others < asked; others += 1) shared(nowMs);
      return shared(nowMs);
    },
    { calls: 600, processes: 2 },
  );
  expect(sent.perSecond.slice(165, 200).reduce((sum, calls) => sum + calls, 0)).toBeGreaterThan(160);
});

test.concurrent('a window that is told of only where little of it is left is measured anew after some minutes', async () => {
  const [before, after] = [50, 200].map((quota) =>
    makeForeignWindow({ quota, windowS: 5 }, (state, window) =>
      state.left < quota / 5 ? FOREIGN_WORDS.fastify(state, window) : {},
    ),
  ) as [ForeignLimiter, ForeignLimiter];
  const raisedMs = Date.UTC(2026, 0, 1, 8, 31);
  const sent = await sendThrough((nowMs) => (nowMs < raisedMs ? before : after)(nowMs), { calls: 6_000 });
  expect(sent.endS).toBeLessThan(480);
});
