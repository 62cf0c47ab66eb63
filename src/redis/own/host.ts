import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LimitlineError } from '../../errors.ts';
import type { Folder } from '../../files/process-mark.ts';

/**
 * The host whose Redis uses a folder. Several hosts may see a folder on a network drive, but not each other's processes: each would take the
 * other's server for dead, and two servers would write one file.
 */
type Host = { name: string; machine: string; boot: string };

/** This host; unknown parts are empty. */
export function thisHost(): Host {
  return { name: hostname(), machine: readOr('/etc/machine-id'), boot: bootSession() };
}

/** @throws LimitlineError `FILE` if the folder's Redis runs on another host, or did when that host was switched off */
export function checkHost(folder: Folder, us = thisHost()): void {
  const noted = readNote(folder);
  if (noted === undefined || isSame(noted, us)) return;
  const path = join(folder.path, NOTE_NAME);
  const message = `Data folder ${folder.path} is in use by a Redis on host ${noted.name}, and this is ${us.name}: stop Limitline there first, or let both hosts use one Redis (REDIS_URL). If that host is gone for good, or this is a copy of its folder, delete ${path}.`;
  throw new LimitlineError('FILE', message);
}

/**
 * Notes that the folder's Redis runs on this host. Only one host can succeed, however many try; the caller has the folder's lock, which
 * works within this host.
 *
 * @throws LimitlineError `FILE` as {@link checkHost}
 */
export function enterHost(folder: Folder, us = thisHost()): void {
  const path = join(folder.path, NOTE_NAME);
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, JSON.stringify(us));
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    checkHost(folder, us);
    // The existing note names this host, perhaps from before a restart of the machine, so it is replaced.
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Removes the note that the folder's Redis runs on this host. The caller has the folder's lock, and has checked that no server of this host
 * runs.
 */
export function leaveHost(folder: Folder): void {
  rmSync(join(folder.path, NOTE_NAME), { force: true });
}

const NOTE_NAME = 'host';

/**
 * The same boot is the same host, also for all containers on it. After a restart a machine is recognized by name and id together: clones
 * share an id, and many machines are called `localhost`.
 */
function isSame(one: Host, other: Host): boolean {
  if (one.boot !== '' && one.boot === other.boot) return true;
  return one.name === other.name && one.machine === other.machine;
}

/**
 * Reads the note which host's Redis uses the folder. It is written atomically, so an unreadable one was edited by hand, and counts as
 * missing.
 */
function readNote(folder: Folder): Host | undefined {
  try {
    const { name, machine, boot } = JSON.parse(readFileSync(join(folder.path, NOTE_NAME), 'utf8'));
    return { name: String(name), machine: String(machine), boot: String(boot) };
  } catch {
    return undefined;
  }
}

/** The id of the machine's boot, on Linux and macOS. */
function bootSession(): string {
  if (process.platform !== 'darwin') return readOr('/proc/sys/kernel/random/boot_id');
  try {
    return execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return '';
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}
