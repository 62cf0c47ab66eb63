import { userInfo } from 'node:os';

/** Who acts in the console, as long as it knows no users. */
export const CONSOLE_ACTOR = 'console';

/** Who acts by a command: the user of the system who runs it. A container's user may have no name. */
export function commandLineActor(): string {
  try {
    return `command line (${userInfo().username})`;
  } catch {
    return `command line (user ${process.getuid?.() ?? 'unknown'})`;
  }
}
