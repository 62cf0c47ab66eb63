/** Calls sent for a portfolio up to one moment. */
type Seen = { atMs: number; calls: number };

/**
 * Time over which a portfolio's calls are averaged, in ms: it covers whole windows of most services. Over less than LEAST_MS no mean is
 * given.
 */
const LOOKED_BACK_MS = 30_000;
const LEAST_MS = 2_000;

/** Most portfolios whose counts are kept: more than people have open at once. */
const MOST_PORTFOLIOS = 200;

/** Calls a second of each portfolio, from counts that pages read anyway. Nothing is kept of a portfolio that nobody views. */
export function makeOwnPace() {
  const seen = new Map<string, Seen[]>();
  return {
    /**
     * Notes the calls sent for a portfolio so far. Returns its recent calls a second; undefined for the first seconds.
     *
     * @param startedMs when its first line came, before any call
     */
    note(name: string, calls: number, atMs: number, startedMs?: number): number | undefined {
      const known = seen.get(name) ?? (startedMs === undefined ? [] : [{ atMs: startedMs, calls: 0 }]);
      const before = known.filter((one) => one.atMs > atMs - LOOKED_BACK_MS && one.calls <= calls);
      const [first] = before;
      // Reinserted, so that the map begins with the portfolio that was viewed the longest ago.
      seen.delete(name);
      seen.set(name, [...before, { atMs, calls }]);
      const [oldest] = seen.keys();
      if (seen.size > MOST_PORTFOLIOS && oldest !== undefined) seen.delete(oldest);
      if (!first || atMs - first.atMs < LEAST_MS) return undefined;
      return (calls - first.calls) / ((atMs - first.atMs) / 1_000);
    },
  };
}
