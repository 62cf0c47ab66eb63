import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `work`, so long at the most, and answers whether it ended; what it rejects with is passed on. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  // Whatever it ends with once nobody waits for it any more is nobody's concern.
  work.catch(() => {});
  const late = sleep(limitMs, false, { signal: ended.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    ended.abort();
  }
}
