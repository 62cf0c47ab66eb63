import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for `work` for at most `limitMs`, and answers whether it ended. Throws what `work` throws in time. */
export async function within(limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const ended = new AbortController();
  // A rejection after the deadline must not end the process.
  work.catch(() => {});
  const late = sleep(limitMs, false, { signal: ended.signal }).catch(() => true);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    ended.abort();
  }
}
