/** Whole µs since a time of `performance.now()`: how scripts are told of times, since no two clocks are the same. */
export function microsecondsSince(ms: number): number {
  return Math.round((performance.now() - ms) * 1_000);
}
