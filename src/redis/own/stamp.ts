import { startOf } from '../../files/process-start.ts';
import type { Folder } from './folder.ts';

/**
 * Names a process beyond doubt: its number, when it started, and the folder it was named for. Process numbers are used
 * again, soon so in containers, and a folder may be copied together with what it says about its processes.
 */
export type Stamp = string;

/** @returns undefined where there is no such process any more */
export function stampOf(pid: number, folder: Folder): Stamp | undefined {
  const start = startOf(pid);
  return start && `${pid}/${start}/${folder.id}`;
}

/** True while the process lives that the stamp was made for, by this folder. False for whatever is no stamp. */
export function isAlive(stamp: Stamp, folder: Folder): boolean {
  const pid = pidOf(stamp);
  return Number.isInteger(pid) && pid > 0 && stampOf(pid, folder) === stamp;
}

export function pidOf(stamp: Stamp): number {
  return Number(stamp.split('/', 1)[0]);
}
