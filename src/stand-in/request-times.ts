/** More requests in one second than this process can answer, so the ring never overwrites what it still needs. */
const RING_SIZE = 65_536;

const WINDOW_MS = 1_000;

export type RequestTimes = ReturnType<typeof makeRequestTimes>;

/** When requests came: the most in any window of one second, and the most that were open at once. */
export function makeRequestTimes() {
  const ring = new Float64Array(RING_SIZE);
  let newest = 0;
  let oldest = 0;
  let mostPerSecond = 0;
  let open = 0;
  let mostOpen = 0;
  return {
    /** @param nowMs a clock that never runs backwards */
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
    /** Requests in the fullest second, half open: two that came 1,000 ms apart are not in one. */
    maxPerSecond: () => mostPerSecond,
    maxInFlight: () => mostOpen,
    /** Forgets both peaks; what is open now stays counted as open. */
    reset(): void {
      oldest = newest;
      mostPerSecond = 0;
      mostOpen = open;
    },
  };
}
