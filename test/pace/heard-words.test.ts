import { expect, test, vi } from 'vitest';
import type { Pace } from '../../src/pace/pace.ts';
import { makeOwnPace } from '../../src/pace/pace-words.ts';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { makePaceSamples } from '../../src/pace/samples.ts';
import { timeLeftRange } from '../../src/pace/time-left.ts';
import { makeBucket, rateLimitHeaders } from '../../src/stand-in/gate.ts';
import { judgeWords, type SaidTimeLeft } from '../bench/measure-words.ts';
import { FOREIGN_WORDS, type ForeignLimiter, makeForeignWindow, makeLimitReq } from '../support/foreign-limiters.ts';
import { inVirtualTime, sleep } from '../support/virtual-time.ts';

/** Calls in flight of one process. */
const CALLERS = 4;

/** `latencyMs`: one direction, to the service or back. */
type Sending = { calls: number; processes?: number; latencyMs?: number };

/** The estimates of the time left, one each second, and the beginning and end of the run. */
type Heard = { said: SaidTimeLeft[]; refused: number; startedMs: number; finishedMs: number };

/** Processes with one pace send so many calls through a limiter, in virtual time, while the time left is estimated. */
function heardWords(limiter: ForeignLimiter, { calls, processes = 1, latencyMs = 1 }: Sending) {
  return inVirtualTime(async ({ openPace, connection, paceKey }): Promise<Heard> => {
    const samples = makePaceSamples(connection, { paceKey, key: `${paceKey}:samples`, madeKey: `${paceKey}:made` });
    const readPace = makePaceReader(connection, paceKey);
    const ownPace = makeOwnPace();
    const heard: Heard = { said: [], refused: 0, startedMs: Date.now(), finishedMs: 0 };
    let passed = 0;
    const send = async (pace: Pace): Promise<void> => {
      const { signal } = new AbortController();
      while (passed < calls) {
        const { episode } = await pace.take(signal);
        await sleep(latencyMs);
        const { allowed, headers, delayMs = 0 } = limiter(Date.now());
        await sleep(delayMs + latencyMs);
        if (allowed) {
          passed += 1;
          heard.finishedMs = Date.now();
          await pace.answered(headers);
        } else {
          heard.refused += 1;
          await pace.block({ why: 'too fast', because: 'limit', headers, episode });
        }
      }
    };
    const sample = async (): Promise<void> => {
      while (!(await samples.add())) await sleep(250);
      while (passed < calls) {
        await sleep(2_000);
        await samples.add();
      }
    };
    const listen = async (): Promise<void> => {
      while (passed < calls) {
        const [pace, kept] = await Promise.all([readPace(), samples.read()]);
        const atMs = Date.now();
        const ownPerS = ownPace.note('any', passed, atMs, heard.startedMs);
        const left = calls - passed;
        const range = pace && timeLeftRange({ fewest: left, most: left }, { pace, samples: kept, ownPerS }, atMs);
        heard.said.push({ atMs, left: range });
        await sleep(1_000);
      }
    };
    const paces = Array.from({ length: processes }, () => openPace());
    const callers = paces.flatMap((pace) => Array<Pace>(CALLERS).fill(pace));
    await Promise.all([...callers.map(send), sample(), listen()]);
    return heard;
  });
}

// All simulations run at once: each has its own clock, and they share the round trips to Redis.
vi.setConfig({ maxConcurrency: 20 });

/** The rate of all limiters here. */
const PER_S = 20;
const CALLS = 1_000;

const inWindows = (family: keyof typeof FOREIGN_WORDS, windowS: number) => (): ForeignLimiter =>
  makeForeignWindow({ quota: PER_S * windowS, windowS }, FOREIGN_WORDS[family]);

const bucket = (headers: 'none' | 'retry-after-seconds') => (): ForeignLimiter => {
  const { pass } = makeBucket();
  const settings = { perS: PER_S, burst: 4, headers };
  return (nowMs) => {
    const passage = pass(settings, nowMs);
    return { allowed: passage.allowed, headers: rateLimitHeaders(settings, passage, nowMs) };
  };
};

/** Accepts so many calls, then asks once for a pause of two minutes. */
function asksOnce(calls: number): ForeignLimiter {
  const limit = makeLimitReq({ perS: 2 * PER_S, burst: 10, nodelay: true });
  let [passed, untilMs] = [0, 0];
  return (nowMs) => {
    if (passed === calls && untilMs === 0) untilMs = nowMs + 120_000;
    if (nowMs < untilMs)
      return { allowed: false, headers: { 'retry-after': String(Math.ceil((untilMs - nowMs) / 1_000)) } };
    const answer = limit(nowMs);
    if (answer.allowed) passed += 1;
    return answer;
  };
}

// Promise: time-left-as-range
test.concurrent('after a single request to wait, the range of the time left begins with that wait as the only one', async () => {
  const heard = await heardWords(asksOnce(100), { calls: CALLS });
  const { outside, silent } = judgeWords(heard.said, heard);
  expect({ outside, silent }).toEqual({ outside: 0, silent: 0 });
  const least = heard.said.map(({ atMs, left }) => ({ atMs, left: left && { ...left, toS: left.fromS } }));
  expect(judgeWords(least, heard)).toMatchObject({ worst: expect.toSatisfy((ratio) => ratio <= 1.35), silent: 0 });
});

// Promise: time-left-is-right
test.concurrent.each<[string, () => ForeignLimiter, { calls?: number; processes?: number; latencyMs?: number }?]>([
  ['draft 6, a window of a second', inWindows('draft 6', 1)],
  ['draft 7, five seconds', inWindows('draft 7', 5)],
  ['draft 8, a minute', inWindows('draft 8', 60), { calls: 2 * CALLS }],
  ['draft 7, a minute, with a slow service', inWindows('draft 7', 60), { calls: 2 * CALLS, latencyMs: 25 }],
  ['the older headers, five seconds', inWindows('legacy', 5)],
  ['the older headers, a minute, three windows', inWindows('legacy', 60), { calls: 3 * CALLS }],
  ['the headers of rate-limiter-flexible, a second', inWindows('flexible', 1)],
  ['a bucket without headers, eight processes', bucket('none'), { processes: 8 }],
  ['a bucket with Retry-After', bucket('retry-after-seconds')],
])('the estimate of the time left is within a quarter from the first tenth on: %s', async (_name, limiter, how) => {
  const heard = await heardWords(limiter(), { calls: CALLS, ...how });
  const { worst, outside, silent } = judgeWords(heard.said, heard);
  expect(heard.said.length).toBeGreaterThan(30);
  expect({ worst, outside, silent }).toEqual({
    worst: expect.toSatisfy((ratio) => ratio <= 1.25),
    outside: 0,
    silent: 0,
  });
});
