/** A claim takes some milliseconds, and a tenth of a second where the machine is busy; longer than a second is no stall. */
const LATE_AFTER_MS = 150;
const LATE_FOR_MS = 1_000;

/**
 * Judges turns by how late they are used: by more than is usual on a busy machine, they would crowd those of a process, or a
 * Redis, that stood still. Where nothing has been in time for a second, that is how it is here, and no turn is lost for it.
 */
export function makeLateness() {
  let lateSinceMs: number | undefined;
  return {
    isLost(lateMs: number, nowMs = performance.now()): boolean {
      if (lateMs <= LATE_AFTER_MS) {
        lateSinceMs = undefined;
        return false;
      }
      lateSinceMs ??= nowMs;
      return nowMs - lateSinceMs < LATE_FOR_MS;
    },
  };
}
