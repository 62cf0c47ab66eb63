/** More requests than this process can answer in a second, so the ring never overwrites a time that it needs. */
const RING_SIZE = 65_536;

const WINDOW_MS = 1_000;

export type RequestTimes = ReturnType<typeof makeRequestTimes>;

/** Counts the most requests within any second, and the most open ones. */
export function makeRequestTimes() {
  const ring = new Float64Array(RING_SIZE);
  let newest = 0;
  let oldest = 0;
  let mostPerSecond = 0;
  let open = 0;
  let mostOpen = 0;
  return {
    /** @param nowMs a monotonic clock */
    arrived(nowMs: number): void {
      ring[newest % RING_SIZE] = nowMs;
      newest += 1;
      while (nowMs - (ring[oldest % RING_SIZE] ?? nowMs) >= WINDOW_MS) oldest += 1;
      mostPerSecond = Math.max(mostPerSecond, newest - oldest);
      open += 1;
      mostOpen = Math.max(mostOpen, open);
    },
    left(): void {
      open -= 1;
    },
    /** The most requests within a second. Requests exactly 1,000 ms apart do not count together. */
    maxPerSecond: () => mostPerSecond,
    maxInFlight: () => mostOpen,
    /** Resets both peaks. Open requests still count as open. */
    reset(): void {
      oldest = newest;
      mostPerSecond = 0;
      mostOpen = open;
    },
  };
}
