import type { Log } from '../../src/log.ts';

/** A person reads no more of one fault, which each waiting call meets every few seconds. */
const SAY_EVERY_MS = 60_000;

/** So many faults in other words: an answer that is quoted may have a number of its own each time. */
const MOST_A_MINUTE = 5;

/** A call that was sent before the fault may be accepted behind it; the next try is some seconds later. */
const OVER_AFTER_MS = 2_000;

/** Says each fault that every row would meet once a minute, with how many calls met one since the line before, and when it is over. */
export function makeSayingFaults(log: Log) {
  const said = new Set<string>();
  let [calls, minuteMs] = [0, Number.NEGATIVE_INFINITY];
  let lastMs: number | undefined;
  return {
    meets({ message: reason }: Error): void {
      calls += 1;
      const nowMs = performance.now();
      lastMs = nowMs;
      if (nowMs - minuteMs >= SAY_EVERY_MS) {
        said.clear();
        minuteMs = nowMs;
      }
      if (said.has(reason) || said.size === MOST_A_MINUTE) return;
      said.add(reason);
      log.error({ reason, calls }, 'every row would meet this fault; this process sends nothing until it is mended');
      calls = 0;
    },

    /** The service accepted a call of this process. */
    accepted(): void {
      if (lastMs === undefined || performance.now() - lastMs < OVER_AFTER_MS) return;
      lastMs = undefined;
      said.clear();
      log.info({ calls }, 'the fault that every row met is over: this process sends again');
      calls = 0;
    },
  };
}
