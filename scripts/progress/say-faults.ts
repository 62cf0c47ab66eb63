import type { Log } from '../../src/log.ts';

/** The interval of one fault's log entries, because each waiting call meets the fault every few seconds. */
const SAY_EVERY_MS = 60_000;

/** Different faults logged per minute: a quoted response may have its own number each time. */
const MOST_A_MINUTE = 5;

/** A call that was sent before the fault may still be accepted shortly after. Later successes end the fault. */
const OVER_AFTER_MS = 2_000;

/** Logs faults that every row would meet, once a minute each, with the number of calls; and when they are over. */
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

    /** Called when the service accepts a call of this process. */
    accepted(): void {
      if (lastMs === undefined || performance.now() - lastMs < OVER_AFTER_MS) return;
      lastMs = undefined;
      said.clear();
      log.info({ calls }, 'the fault that every row met is over: this process sends again');
      calls = 0;
    },
  };
}
