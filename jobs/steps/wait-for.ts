import { setTimeout as sleep } from 'node:timers/promises';
import { rowStopped } from '../../src/pace/slots.ts';

/** Waits so many ms while a row keeps its worker. Rejects with `STOPPED` if the signal is aborted first. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    throw rowStopped();
  });
}

/** Waits for shared work, such as a token. Rejects with `STOPPED` if aborted first; the shared work goes on. */
export function orStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(rowStopped());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
