import { constants, setPriority } from 'node:os';

/** For what nobody waits for, while a line is at work: the machine gives this process what is left. */
export function letOthersGoFirst(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A system that allows no such thing does without.
  }
}
