/** A timer of virtual time, with the used part of Node's interface. */
type VirtualTimer = { readonly atMs: number; run: () => void; unref(): VirtualTimer; ref(): VirtualTimer };

/**
 * The timers of one clock, in the order in which they are due; timers of one moment are in the order in which they were
 * set.
 */
export function makeTimers() {
  const timers: VirtualTimer[] = [];

  const add = (nowMs: number, ms: number, run: () => void): VirtualTimer => {
    // As in Node: whole milliseconds, at least one.
    const atMs = nowMs + Math.max(1, Math.trunc(ms) || 0);
    const timer: VirtualTimer = { atMs, run, unref: () => timer, ref: () => timer };
    let [from, to] = [0, timers.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((timers[middle]?.atMs ?? 0) > atMs) to = middle;
      else from = middle + 1;
    }
    timers.splice(from, 0, timer);
    return timer;
  };

  return {
    add,

    /** Removes a timer. Returns whether it was waiting here. */
    remove(timer: unknown): boolean {
      const place = timers.indexOf(timer as VirtualTimer);
      if (place >= 0) timers.splice(place, 1);
      return place >= 0;
    },

    /** The time of the next timer; infinity if there is none. */
    nextMs: (): number => timers[0]?.atMs ?? Number.POSITIVE_INFINITY,

    /** The timers that are due by then; they stay until they are removed. */
    due: (nowMs: number): VirtualTimer[] => timers.filter(({ atMs }) => atMs <= nowMs),

    /** Removes and returns the next timer. */
    next: (): VirtualTimer | undefined => timers.shift(),
  };
}
