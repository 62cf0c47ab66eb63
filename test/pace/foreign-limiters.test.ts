import { describe, expect, test, vi } from 'vitest';
import type { Pace } from '../../src/pace/pace.ts';
import type { RateLimitSettings } from '../../src/stand-in/fault-settings.ts';
import { makeBucket } from '../../src/stand-in/gate.ts';
import { FOREIGN_WORDS, type ForeignLimiter, makeForeignWindow, makeLimitReq } from '../support/foreign-limiters.ts';
import { inVirtualTime, sleep } from '../support/virtual-time.ts';

/** Calls in flight of one process. */
const CALLERS = 16;

/** What became of a portfolio's calls: the time for all, the refused ones, and how many passed in each second. */
type Sent = { endS: number; refused: number; perSecond: number[] };

type Sending = {
  calls: number;
  processes?: number;
  callers?: number;
  /** One direction, to the service or back; drawn anew each time. */
  latencyMs?: () => number;
  /** From a permit to the departure of its call, in the process of that number; drawn anew each time. */
  readyMs?: (process: number) => number;
  /** The age of the service's clock when the first call arrives. */
  beginMs?: number;
};

/** Processes with one pace send so many calls through a limiter, in virtual time, and read its headers. */
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

// All simulations run at once: each has its own clock, and they share the round trips to Redis.
vi.setConfig({ maxConcurrency: 40 });

const PER_S = 40;

/** Long enough for the limit to be learned and then used for a while, 15 s. */
const CALLS = 600;

type Family = keyof typeof FOREIGN_WORDS;

/** A window of 40 calls for each of its seconds, with the headers of these packages. */
const windowOf = (family: Family, windowS: number) =>
  makeForeignWindow({ quota: PER_S * windowS, windowS }, FOREIGN_WORDS[family]);

/** 1 to 20 ms one way, in the same order each time. */
function uneven(): () => number {
  let call = 0;
  return () => {
    call += 7;
    return 1 + (call % 20);
  };
}

// Promise: hidden-limit-used-up
describe.concurrent('common rate limiters are used to within 5 percent, and hardly ever refuse', () => {
  test.each<[Family, number, number]>([
    ['draft 6', 5, 1],
    ['draft 8', 1, 8],
    ['legacy', 5, 8],
    ['flexible refusals', 1, 1],
  ])('%s, a window of %i s, %i processes', async (family, windowS, processes) => {
    const latencyMs = processes === 1 ? () => 1 : uneven();
    const sent = await sendThrough(windowOf(family, windowS), { calls: CALLS, processes, latencyMs, beginMs: 370 });
    // Learning costs a second, in a short run like this one as in a long one.
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

  test("nginx' limit_req that refuses with 503, its default", async () => {
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
test.concurrent('a window that only refusals reveal is measured again after some minutes, since it may be larger by then', async () => {
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
test.concurrent('eight processes that pause at times do not crowd into a limit afterwards', async () => {
  const bucket = makeBucket();
  const settings: RateLimitSettings = { perS: 100, burst: 20, headers: 'none' };
  // All of them pause for 300 ms in each three seconds, as if Redis or the machine were slow.
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

test.concurrent('the rest of a window is used faster after a process stood still in it', async () => {
  const standsStill = () => Math.max(1, 1_000 - (Date.now() % 5_000));
  const sent = await sendThrough(windowOf('draft 8', 5), { calls: CALLS, readyMs: standsStill, beginMs: 2_500 });
  // Ten percent, since the first second of the run stands still too.
  expect(sent.endS).toBeLessThan(1.1 * (CALLS / PER_S));
  expect(sent.refused).toBeLessThanOrEqual(CALLS / 100);
});

test.concurrent('two servers that count separately are not mistaken for one', async () => {
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
test.concurrent('half of a window that others leave is spread evenly, with few refusals', async () => {
  const shared = windowOf('draft 8', 5);
  const sent = await sendThrough(
    (nowMs) => {
      // For each of our calls there is one of somebody else.
      shared(nowMs);
      return shared(nowMs);
    },
    { calls: 500 },
  );
  expect(sent.endS).toBeLessThan(1.2 * (500 / (PER_S / 2)));
  expect(sent.refused).toBeLessThanOrEqual(10);
});

test.concurrent('a measured rate is kept while fewer calls are made for a while', async () => {
  const beginMs = Date.UTC(2026, 0, 1, 8, 30);
  const isSlow = () => Date.now() > beginMs + 20_000 && Date.now() < beginMs + 60_000;
  // For a while each answer takes a second, so that a fifth of each window is used.
  const sent = await sendThrough(makeForeignWindow({ quota: 5, windowS: 1 }, FOREIGN_WORDS.fastify), {
    calls: 300,
    callers: 1,
    latencyMs: () => (isSlow() ? 500 : 1),
  });
  expect(sent.perSecond.slice(62, 82).reduce((sum, calls) => sum + calls, 0)).toBeGreaterThan(90);
});

test.concurrent('if only a policy is stated and others use half of it, the rate learned from refusals is kept', async () => {
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

test.concurrent('a small window is used completely again once others no longer use half of it', async () => {
  const shared = makeForeignWindow({ quota: 5, windowS: 1 }, FOREIGN_WORDS.fastify);
  const [fromMs, untilMs] = [Date.UTC(2026, 0, 1, 8, 31), Date.UTC(2026, 0, 1, 8, 32)];
  let others = 0;
  const sent = await sendThrough(
    (nowMs) => {
      // Five calls in two seconds, whatever remains for us.
      const asked = Math.floor((Math.min(nowMs, untilMs) - fromMs) / 400);
      for (; others < asked; others += 1) shared(nowMs);
      return shared(nowMs);
    },
    { calls: 600, processes: 2 },
  );
  expect(sent.perSecond.slice(165, 200).reduce((sum, calls) => sum + calls, 0)).toBeGreaterThan(160);
});

test.concurrent('a window whose headers appear only near its end is measured again after some minutes', async () => {
  const [before, after] = [50, 200].map((quota) =>
    makeForeignWindow({ quota, windowS: 5 }, (state, window) =>
      state.left < quota / 5 ? FOREIGN_WORDS.fastify(state, window) : {},
    ),
  ) as [ForeignLimiter, ForeignLimiter];
  const raisedMs = Date.UTC(2026, 0, 1, 8, 31);
  const sent = await sendThrough((nowMs) => (nowMs < raisedMs ? before : after)(nowMs), { calls: 6_000 });
  expect(sent.endS).toBeLessThan(480);
});
