/** Age at which responses no longer count: the service's clock may have been corrected since. */
const FORGET_AFTER_MS = 60_000;

/**
 * The service's clock, by the `Date` of its responses. That header is cut to whole seconds, so one response is up to a second behind. The
 * one that is furthest ahead came just after a second began and is nearest the truth. After a second or two of responses, the error is only
 * a response's time on the network.
 */
export function makeTheirClock() {
  let ahead = Number.NEGATIVE_INFINITY;
  let aheadBefore = Number.NEGATIVE_INFINITY;
  let sinceMs = 0;
  return {
    /**
     * The service's present time, in ms since 1970; ours if no response had a date.
     *
     * @param dateMs the new response's `Date`
     */
    read(dateMs: number | undefined, nowMs: number): number {
      if (dateMs !== undefined) {
        if (nowMs - sinceMs > FORGET_AFTER_MS) {
          // The values are kept for two overlapping periods, so that one of the two always has some.
          aheadBefore = nowMs - sinceMs > 2 * FORGET_AFTER_MS ? Number.NEGATIVE_INFINITY : ahead;
          ahead = Number.NEGATIVE_INFINITY;
          sinceMs = nowMs;
        }
        ahead = Math.max(ahead, dateMs - nowMs);
      }
      const known = Math.max(ahead, aheadBefore);
      return Number.isFinite(known) ? nowMs + known : nowMs;
    },
  };
}
