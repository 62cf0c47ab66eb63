export type Departures = ReturnType<typeof makeDepartures>;

/** A busy process or a slow claim makes permits late; this much the spacing has room for. */
const LATE_AFTER_MS = 15;

/** A ceiling is so many calls in any second. */
const SECOND_MS = 1_000;

/** A permit under a ceiling: when it came due, and how far permits of the whole fleet lie apart. */
type DuePermit = { dueMs: number; betweenMs: number };

/**
 * Sees to it that no more calls leave this process in any second than permits came due in it, so that a ceiling which the
 * permits of all processes keep is kept by their calls too, however late some are. What waited together for a token or for a
 * replica does not leave together: those that are late give their permits up. A process that has been nothing but late for a
 * second still gets on: its late calls leave an interval after one another, or one a second where it has had no permit in it.
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
    /** A permit has come due. */
    due: (dueMs: number): void => void due.push(dueMs),

    /** Whether its call may leave now. */
    mayLeave,

    /** The same for a call that leaves at once where it may. */
    leave(permit: DuePermit, nowMs = performance.now()): boolean {
      if (!mayLeave(permit, nowMs)) return false;
      left.push(nowMs);
      if (!isLate(permit, nowMs)) lateSinceMs = undefined;
      return true;
    },
  };
}

/** Drops what is no longer within the second, in the order in which it came. */
function forgetUntil(ms: number, times: number[]): void {
  const kept = times.findIndex((time) => time > ms);
  times.splice(0, kept === -1 ? times.length : kept);
}
