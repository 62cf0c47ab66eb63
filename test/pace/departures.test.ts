import { describe, expect, test } from 'vitest';
import { type Departures, makeDepartures } from '../../src/pace/permit-queue.ts';

/** Twenty permits a second. */
const BETWEEN_MS = 50;

/** Uses so many permits of one process, each so late, and returns how many of their calls leave. */
function pass(departures: Departures, { count, lateMs }: { count: number; lateMs: number }): number {
  const permits = Array.from({ length: count }, (_, at) => at * BETWEEN_MS);
  const waiting = [...permits];
  let left = 0;
  for (const nowMs of [...permits, ...permits.map((dueMs) => dueMs + lateMs)].sort((a, b) => a - b)) {
    if (permits[0] === nowMs) departures.due(permits.shift() ?? 0);
    if (waiting[0] !== nowMs - lateMs) continue;
    if (departures.leave({ dueMs: waiting.shift() ?? 0, betweenMs: BETWEEN_MS }, nowMs)) left += 1;
  }
  return left;
}

describe('calls under a ceiling', () => {
  test('leave if they are in time', () => {
    expect(pass(makeDepartures(), { count: 100, lateMs: 1 })).toBe(100);
  });

  test('do not leave together after they waited together', () => {
    const departures = makeDepartures();
    const permits = Array.from({ length: 15 }, (_, at) => at * BETWEEN_MS);
    for (const dueMs of permits) departures.due(dueMs);
    const left = permits.filter((dueMs) => departures.leave({ dueMs, betweenMs: BETWEEN_MS }, 3_000));
    expect(left).toEqual([]);
  });

  test('never exceed the permits due in a second, even if late calls come before punctual ones', () => {
    const departures = makeDepartures();
    let [due, left] = [0, 0];
    // Half of the permits are used almost a second late, between those used in time.
    for (let at = 0; at < 20; at += 1) departures.due(at * BETWEEN_MS);
    for (let at = 20; at < 40; at += 1) {
      const nowMs = at * BETWEEN_MS;
      departures.due(nowMs);
      due += 1;
      if (departures.leave({ dueMs: nowMs - 950, betweenMs: BETWEEN_MS / 2 }, nowMs - 25)) left += 1;
      if (departures.leave({ dueMs: nowMs, betweenMs: BETWEEN_MS / 2 }, nowMs)) left += 1;
    }
    expect(left).toBeLessThanOrEqual(due + 1);
  });

  test('that are always late, by milliseconds or seconds, still get through', () => {
    expect(pass(makeDepartures(), { count: 100, lateMs: 210 })).toBeGreaterThan(75);
    const departures = makeDepartures();
    let left = 0;
    for (let nowMs = 5_000; nowMs < 15_000; nowMs += 500) {
      if (departures.leave({ dueMs: nowMs - 3_000, betweenMs: BETWEEN_MS }, nowMs)) left += 1;
    }
    expect(left).toBe(9);
  });
});
