import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The bytes of buffers that are still referenced. Freed buffers are collected in the background, and may be counted for
 * a moment.
 */
export function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** The heap in use after a garbage collection. */
export function heapInUse(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
