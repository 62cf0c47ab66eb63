import type { SaidTimeLeft } from '../../scripts/bench/measure-words.ts';
import { makeOwnPace } from '../../src/pace/own-pace.ts';
import type { Pace } from '../../src/pace/pace.ts';
import { makePaceReader } from '../../src/pace/read-pace.ts';
import { makePaceSamples } from '../../src/pace/samples.ts';
import { timeLeftRange } from '../../src/pace/time-left.ts';
import type { ForeignLimiter } from './foreign-limiters.ts';
import { inVirtualTime, sleep } from './virtual-time.ts';

/** Calls in flight of one process. */
const CALLERS = 4;

/** `latencyMs`: one way, to the service or back. */
type Sending = { calls: number; processes?: number; latencyMs?: number };

/** What was said of the time left of a portfolio, each second, and when that began and ended. */
export type Heard = { said: SaidTimeLeft[]; refused: number; startedMs: number; finishedMs: number };

/** Processes with one pace send so many calls through a limiter, in virtual time, and somebody reads how long it will take. */
export function heardWords(limiter: ForeignLimiter, { calls, processes = 1, latencyMs = 1 }: Sending) {
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
