import type { Log } from '../../src/log.ts';

/** A person reads no more of one fault, which each waiting call meets every few seconds. */
const SAY_EVERY_MS = 60_000;

/** So many faults in other words: an answer that is quoted may have a number of its own each time. */
const MOST_A_MINUTE = 5;

/** Says each fault that every row would meet once a minute, with how many calls met one since the line before. */
export function makeSayingFaults(log: Log): (fault: Error) => void {
  const said = new Set<string>();
  let [calls, minuteMs] = [0, Number.NEGATIVE_INFINITY];
  return ({ message: reason }) => {
    calls += 1;
    const nowMs = performance.now();
    if (nowMs - minuteMs >= SAY_EVERY_MS) {
      said.clear();
      minuteMs = nowMs;
    }
    if (said.has(reason) || said.size === MOST_A_MINUTE) return;
    said.add(reason);
    log.error({ reason, calls }, 'every row would meet this fault; all calls wait until it is mended');
    calls = 0;
  };
}
