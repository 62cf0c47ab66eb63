import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError } from '../../src/errors.ts';

/** Waits so many ms while a row keeps its worker. Rejects with `STOPPED` if the signal is aborted first. */
export async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {
    throw stopped();
  });
}

/** Waits for shared work, such as a token. Rejects with `STOPPED` if aborted first; the shared work goes on. */
export function orStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(stopped());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}

function stopped(): LimitlineError {
  return new LimitlineError('STOPPED', 'The process is stopping; the row waits for another process.');
}
