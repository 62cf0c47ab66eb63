import type { Pace } from '../../src/pace/pace.ts';
import type { ForeignLimiter } from './foreign-limiters.ts';
import { inVirtualTime, sleep } from './virtual-time.ts';

/** Calls in flight of one process. */
const CALLERS = 16;

/** What became of a portfolio's calls: how long all took, those refused, and how many passed in each second. */
export type Sent = { endS: number; refused: number; perSecond: number[] };

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
export function sendThrough(
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
