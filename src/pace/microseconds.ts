/** Whole µs since a time of `performance.now()`. Scripts get ages instead of times, since clocks differ. */
export function microsecondsSince(ms: number): number {
  return Math.round((performance.now() - ms) * 1_000);
}
