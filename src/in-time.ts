/**
 * Waits for `work`, for at most `limitMs` (below zero counts as zero): answers its result, or that of `late` if the time is over first.
 * Throws what `work` throws in time, and what `late` throws. The work itself goes on, and a rejection after its time is ignored.
 */
export async function inTime<T, Late>(work: Promise<T>, limitMs: number, late: () => Late): Promise<T | Late> {
  const over = Promise.withResolvers<typeof OVER>();
  const timer = setTimeout(() => over.resolve(OVER), Math.max(0, limitMs));
  try {
    const first = await Promise.race([work, over.promise]);
    return first === OVER ? late() : first;
  } finally {
    clearTimeout(timer);
  }
}

const OVER = Symbol('the time is over');
