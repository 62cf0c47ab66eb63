/** What was sent for a portfolio, at one moment. */
type Seen = { atMs: number; calls: number };

/** So far back the mean goes: over whole windows of most services. So long must have been looked for there to be one. */
const LOOKED_BACK_MS = 30_000;
const LEAST_MS = 2_000;

/** Portfolios that are looked at: more than these nobody has open. */
const MOST_PORTFOLIOS = 200;

/**
 * How fast each portfolio goes by itself, from the counts that are read of it anyway while somebody looks at it. Nothing is
 * kept of a portfolio that nobody looks at.
 */
export function makeOwnPace() {
  const seen = new Map<string, Seen[]>();
  return {
    /**
     * Notes how many calls were sent for it so far, and answers how many a second lately; nothing before some seconds.
     *
     * @param startedMs when its first line came: before that none was sent
     */
    note(name: string, calls: number, atMs: number, startedMs?: number): number | undefined {
      const known = seen.get(name) ?? (startedMs === undefined ? [] : [{ atMs: startedMs, calls: 0 }]);
      const before = known.filter((one) => one.atMs > atMs - LOOKED_BACK_MS && one.calls <= calls);
      const [first] = before;
      // Taken out and put in again, so that the one at the front is the one that nobody has looked at for the longest.
      seen.delete(name);
      seen.set(name, [...before, { atMs, calls }]);
      const [oldest] = seen.keys();
      if (seen.size > MOST_PORTFOLIOS && oldest !== undefined) seen.delete(oldest);
      if (!first || atMs - first.atMs < LEAST_MS) return undefined;
      return (calls - first.calls) / ((atMs - first.atMs) / 1_000);
    },
  };
}
