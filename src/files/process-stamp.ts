import { startOf } from './process-mark.ts';

/** A folder with records of processes, such as its lock. Its id stays the same if the folder is moved, and differs in copies. */
export type Folder = { path: string; id: string };

/**
 * Identifies a process: its number, its start time, and the folder for which the stamp was made. Process numbers are reused, quickly in
 * containers, and a folder may be copied with its records of processes.
 */
export type Stamp = string;

/** The stamp of a running process. @returns undefined if there is no such process any more */
export function stampOf(pid: number, folder: Folder): Stamp | undefined {
  const start = startOf(pid);
  return start && `${pid}/${start}/${folder.id}`;
}

/** Whether the process of a stamp still lives, and the stamp is of this folder. False for an invalid stamp. */
export function isAlive(stamp: Stamp, folder: Folder): boolean {
  const pid = pidOf(stamp);
  return Number.isInteger(pid) && pid > 0 && stampOf(pid, folder) === stamp;
}

export function pidOf(stamp: Stamp): number {
  return Number(stamp.split('/', 1)[0]);
}
