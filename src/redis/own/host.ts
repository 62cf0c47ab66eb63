import { execFileSync } from 'node:child_process';
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { LimitlineError } from '../../errors.ts';
import type { Folder } from './folder.ts';

/**
 * The host whose Redis uses a folder. Several hosts may share a folder on a network drive, and one knows nothing of the other's processes:
 * each would take the other's server for dead, and two servers would write one file.
 */
type Host = { name: string; machine: string; boot: string };

/** This host. A value that the system does not give is empty. */
export function thisHost(): Host {
  return { name: hostname(), machine: readOr('/etc/machine-id'), boot: bootSession() };
}

/**
 * @throws LimitlineError `FILE` when the Redis of the folder runs on another host, or ran there when that was switched off
 */
export function checkHost(folder: Folder, us = thisHost()): void {
  const noted = readNote(folder);
  if (noted === undefined || isSame(noted, us)) return;
  const path = join(folder.path, NOTE_NAME);
  throw new LimitlineError(
    'FILE',
    `Data folder ${folder.path} is in use by a Redis on host ${noted.name}, and this is ${us.name}: stop Limitline there first, or let both hosts use one Redis (REDIS_URL). If that host is gone for good, or this is a copy of its folder, delete ${path}.`,
  );
}

/**
 * Records that the folder's Redis runs here. Only one host can, however many try at once. The caller holds the folder's lock, which only
 * counts on this host.
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
    // It is our own note, perhaps from before a restart of the machine.
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Removes the note. The caller holds the lock, and has checked that no server of ours runs. */
export function leaveHost(folder: Folder): void {
  rmSync(join(folder.path, NOTE_NAME), { force: true });
}

const NOTE_NAME = 'host';

/**
 * All containers of one boot are one host. A restarted machine is recognised by name and id together: clones of a machine share an id, and
 * a thousand machines are called `localhost`.
 */
function isSame(one: Host, other: Host): boolean {
  if (one.boot !== '' && one.boot === other.boot) return true;
  return one.name === other.name && one.machine === other.machine;
}

/** We write the note and rename it into place, so an unreadable one does not exist, or a person wrote it. */
function readNote(folder: Folder): Host | undefined {
  try {
    const { name, machine, boot } = JSON.parse(readFileSync(join(folder.path, NOTE_NAME), 'utf8'));
    return { name: String(name), machine: String(machine), boot: String(boot) };
  } catch {
    return undefined;
  }
}

/** The id that Linux or macOS gives to each boot of the machine; '' if it cannot be read. */
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
