import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync, type Stats } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DAY_MS } from '../time-units.ts';

/** The parts of {@link markOfProcess} as a pattern: process id, digest of where it runs, digest of its start. */
export const MARK_PATTERN = String.raw`(\d+)-([0-9a-f]{8})-([0-9a-f]{8})`;

/** A mark of this process for temporary file names. By it, other processes see whether this one was killed. */
export function markOfProcess(): string {
  own ??= `${process.pid}-${placeHere()}-${startDigest(process.pid)}`;
  return own;
}

/**
 * Whether a marked file was left behind: its process is gone. If the process runs on another host or in another container, or the mark is
 * missing, a file older than a day counts as left behind.
 *
 * @param mark the groups that `MARK_PATTERN` matched
 */
export function isLeftBehind(mark: readonly (string | undefined)[], mtimeMs: number): boolean {
  const [pid = '', place, start] = mark;
  return place === placeHere() ? start !== startDigest(Number(pid)) : Date.now() - mtimeMs > FORSAKEN_MS;
}

/**
 * A text for when a process started. It tells apart processes with the same id: ids are reused, in containers within a short time.
 * Undefined if there is no such process, or it is a zombie.
 */
export function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startByProc(pid) : startByPs(pid);
}

type Sweeping = {
  dir: string;
  /** The names to remove, with the groups of `MARK_PATTERN`. */
  names: RegExp;
  /** Which of the matching files may be removed; default: all. */
  isOurs?: (found: Stats) => boolean;
  /** Whether folders are removed with their content; default: they stay. */
  folders?: boolean;
};

/**
 * Removes files that killed processes left in a folder. Files of living processes stay, and so do files that cannot be
 * read or removed: such an error must not stop the caller.
 */
export async function sweepLeftBehind({ dir, names, isOurs = () => true, folders = false }: Sweeping): Promise<void> {
  for (const name of await readdir(dir).catch(() => [])) {
    const [, ...mark] = names.exec(name) ?? [];
    if (mark.length === 0) continue;
    const path = join(dir, name);
    try {
      const found = await lstat(path);
      // Links are removed, never followed.
      if (isOurs(found) && isLeftBehind(mark, found.mtimeMs)) await rm(path, { recursive: folders, force: true });
    } catch {
      // The file may have been removed by another process, or this one lacks the permission: neither must stop the caller.
    }
  }
}

/** A file that nobody touched for a day counts as abandoned. */
const FORSAKEN_MS = DAY_MS;

let own: string | undefined;

/** The place within which process ids are unique: one boot of a machine, and within it one container. */
function placeHere(): string {
  try {
    return digest(readFileSync('/proc/sys/kernel/random/boot_id', 'latin1') + readlinkSync('/proc/self/ns/pid'));
  } catch {
    return digest(hostname());
  }
}

const startDigest = (pid: number): string => digest(startOf(pid) ?? '');

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** The system's letter for a process that has ended but was not reaped. In containers nobody may ever reap it. */
const ENDED = /^[ZX]/;

/**
 * When a process started, by /proc, as proc(5) describes it: after the name in brackets, field 1 is the state and field 20 the start in
 * ticks since boot.
 */
function startByProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED.test(fields[0] ?? '') ? undefined : `${bootId()}-${fields[19]}`;
  } catch {
    return undefined;
  }
}

/** The id of the machine's boot. It is part of a start time, since containers start processes at nearly the same tick after each boot. */
const bootId = (): string => readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8);

function startByPs(pid: number): string | undefined {
  try {
    const options = { encoding: 'utf8', env: { LC_ALL: 'C', PATH: process.env.PATH }, stdio: 'pipe' } as const;
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/);
    return ENDED.test(state) ? undefined : started.join('-');
  } catch {
    return undefined;
  }
}

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
