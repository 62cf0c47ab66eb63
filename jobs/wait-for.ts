import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError } from '../src/errors.ts';

/** Lets time pass for a row that waits in its worker. Rejects with `STOPPED` when the signal is aborted first, as all waits do. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    throw new LimitlineError('STOPPED', 'The process is stopping; the row waits for another.');
  });
}

/** Waits for `work`, so long at the most; it must not reject. */
export async function atMost(limitMs: number, work: Promise<void>): Promise<void> {
  const ended = new AbortController();
  await Promise.race([work, sleep(limitMs, undefined, { signal: ended.signal }).catch(() => {})]);
  ended.abort();
}
