export type Departures = ReturnType<typeof makeDepartures>;

/** A call that leaves longer than this after its permit was due is late. Smaller delays fit between two permits. */
const LATE_AFTER_MS = 15;

/** The ceiling limits how many calls leave in any period of this length. */
const SECOND_MS = 1_000;

/** A permit under a ceiling: its due time, and the ms between two permits of all processes together. */
type DuePermit = { dueMs: number; betweenMs: number };

/**
 * Limits the calls that leave this process in any second to the permits due in it. The permits of all processes keep the ceiling, so their
 * calls keep it too, however late some are. Calls that waited together, for a token or for a replica of Redis to confirm, do not leave
 * together: late ones give up their permits. After a second with only late calls, late ones may leave: one interval apart, or one a second
 * if no permit is due in it.
 *
 * Times are those of `performance.now()`.
 */
export function makeDepartures() {
  const due: number[] = [];
  const left: number[] = [];

  let lateSinceMs: number | undefined;

  const isLate = ({ dueMs }: DuePermit, nowMs: number): boolean => nowMs - dueMs > LATE_AFTER_MS;

  const mayLeave = (permit: DuePermit, nowMs = performance.now()): boolean => {
    forgetUntil(nowMs - SECOND_MS, due);
    forgetUntil(nowMs - SECOND_MS, left);
    const last = left.at(-1);
    if (isLate(permit, nowMs)) {
      lateSinceMs ??= nowMs;
      if (nowMs - lateSinceMs < SECOND_MS) return false;
      if (last !== undefined && nowMs - last < permit.betweenMs) return false;
    }
    return last === undefined || left.length < due.length;
  };

  return {
    /** Notes a permit's due time. */
    due: (dueMs: number): void => void due.push(dueMs),

    /** Whether the permit's call may leave at `nowMs`. Asking counts nothing. */
    mayLeave,

    /** Whether the permit's call may leave now; if so, counts the call as gone. */
    leave(permit: DuePermit, nowMs = performance.now()): boolean {
      if (!mayLeave(permit, nowMs)) return false;
      left.push(nowMs);
      if (!isLate(permit, nowMs)) lateSinceMs = undefined;
      return true;
    },
  };
}

/** Removes times up to `ms` from a list in ascending order. */
function forgetUntil(ms: number, times: number[]): void {
  const kept = times.findIndex((time) => time > ms);
  times.splice(0, kept === -1 ? times.length : kept);
}
