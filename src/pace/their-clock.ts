/** So old an answer says nothing any more of a clock that may have been put right meanwhile. */
const FORGET_AFTER_MS = 60_000;

/**
 * The service's clock as its answers' `Date` shows it. That header is cut to whole seconds, so a single one is up to a
 * second behind; the answer that comes just after a second has begun is not, and of many the one furthest ahead is
 * therefore nearest the truth. Right to the time that an answer is on its way, once the service has been heard for a
 * second or two.
 */
export function makeTheirClock() {
  let ahead = Number.NEGATIVE_INFINITY;
  let aheadBefore = Number.NEGATIVE_INFINITY;
  let sinceMs = 0;
  return {
    /**
     * Their time now, in ms since 1970, from an answer that has just come; ours where none ever said theirs.
     *
     * @param dateMs what the answer says of it
     */
    read(dateMs: number | undefined, nowMs: number): number {
      if (dateMs !== undefined) {
        if (nowMs - sinceMs > FORGET_AFTER_MS) {
          // Two spans in turn, so that there is always one to go by.
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
