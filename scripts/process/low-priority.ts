import { constants, setPriority } from 'node:os';

/** Lowers the priority of a process that nobody waits for, so that workers get the CPU first. */
export function letOthersGoFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not allowed on this system: the priority stays.
  }
}
