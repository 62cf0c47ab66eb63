import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError, messageOf } from '../../errors.ts';
import type { Folder } from './folder.ts';
import { SOCKET_NAME } from './socket-path.ts';
import { isAlive, pidOf, type Stamp, stampOf } from './stamp.ts';

/**
 * Starts a server on the folder and says so in `server.pid` there; the caller has the lock and has made sure that no
 * other runs. It is a process of its own: neither Ctrl-C nor our crash ends it.
 *
 * It gets its configuration only after its stamp is written. If we are killed before that, it finds nowhere to listen
 * and ends by itself, so that a server which nobody knows of cannot be.
 *
 * @throws LimitlineError `REDIS` when there is no redis-server or it cannot be run, and what the file system says when
 *   the folder cannot be written to.
 */
export async function startServer(folder: Folder): Promise<ChildProcess> {
  const program = findServer();
  const logFd = openLog(folder);
  const child = spawn(program, ['--port', '0', '-'], {
    cwd: folder.path,
    detached: true,
    stdio: ['pipe', logFd, logFd],
    // It may outlive us, and our environment has credentials in it.
    env: { PATH: process.env.PATH },
  });
  closeSync(logFd);
  // It may end before it has read anything; that it ended is what will be told then.
  child.stdin?.on('error', () => {});
  await once(child, 'spawn').catch((error) => {
    const remedy = 'reinstall it, or set REDIS_URL';
    throw new LimitlineError('REDIS', `${program} cannot be run (${messageOf(error)}); ${remedy}.`, { cause: error });
  });
  try {
    writeRecord(folder, child.pid ?? 0);
    child.stdin?.write(SERVER_CONFIG);
  } finally {
    child.stdin?.end();
  }
  child.unref();
  return child;
}

/** The server that was last started on this folder, if it still lives. */
export function runningServer(folder: Folder): Stamp | undefined {
  try {
    const stamp = readFileSync(join(folder.path, RECORD_NAME), 'utf8');
    return isAlive(stamp, folder) ? stamp : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Ends a server that no longer listens to anybody, and waits until it is gone. What it answered is on the disk.
 *
 * @throws LimitlineError `REDIS` when it does not end even so: it waits for a disk, and may still write to it.
 */
export async function killServer(stamp: Stamp, folder: Folder): Promise<void> {
  if (isAlive(stamp, folder)) process.kill(pidOf(stamp), 'SIGKILL');
  if (await waitForExit(stamp, folder, KILL_LIMIT_MS)) return;
  const remedy = 'look at the disk of the data folder, and start again once the process is gone';
  throw new LimitlineError('REDIS', `redis-server (process ${pidOf(stamp)}) cannot be killed; ${remedy}.`);
}

/** @returns whether it ended within that time */
export async function waitForExit(stamp: Stamp, folder: Folder, limitMs: number): Promise<boolean> {
  for (const startedAt = performance.now(); isAlive(stamp, folder); await sleep(POLL_MS)) {
    if (performance.now() - startedAt > limitMs) return false;
  }
  return true;
}

/** The last thing that the server said, for the message of a failed start. */
export async function lastLogLine(folder: Folder): Promise<string> {
  const file = await open(join(folder.path, LOG_NAME));
  try {
    const { size } = await file.stat();
    const length = Math.min(size, LOG_TAIL_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.toString('utf8', 0, bytesRead).trim().split('\n').at(-1) ?? '';
  } finally {
    await file.close();
  }
}

export const LOG_NAME = 'redis.log';
const RECORD_NAME = 'server.pid';

/** A process that ends does so within milliseconds; a look costs microseconds. */
const POLL_MS = 10;

/** A killed process is gone at once, unless the kernel itself waits for something. */
const KILL_LIMIT_MS = 10_000;

/** Longer than any line of Redis. */
const LOG_TAIL_BYTES = 2_000;

/** A start writes about 2 kB, so this is the story of many; a new one begins after that, since nobody else tidies up. */
const MAX_LOG_BYTES = 1_000_000;

const SERVER_NAMES = ['redis-server', 'valkey-server'];

function findServer(): string {
  for (const name of SERVER_NAMES) {
    for (const dir of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(dir, name);
      if (dir !== '' && isExecutable(path)) return path;
    }
  }
  throw new LimitlineError(
    'REDIS',
    'No redis-server or valkey-server is on the PATH: install one (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis), or set REDIS_URL.',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function openLog(folder: Folder): number {
  const path = join(folder.path, LOG_NAME);
  const sizeBytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return openSync(path, sizeBytes > MAX_LOG_BYTES ? 'w' : 'a', 0o600);
}

function writeRecord(folder: Folder, pid: number): void {
  const path = join(folder.path, RECORD_NAME);
  // Renamed into place: a record is there as a whole, or the one before it is.
  try {
    writeFileSync(`${path}.new`, stampOf(pid, folder) ?? '');
    renameSync(`${path}.new`, path);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
}

/**
 * What our own Redis is told, on its standard input. It stays valid for 6.2 to 8 and for Valkey: hence `ziplist`, the
 * older name that all of them know for what is a listpack now. A server that is too old must come up, to be told so.
 */
const SERVER_CONFIG = [
  // Reached through the data folder alone, by the user whose it is. `port 0` is given on the command line.
  `unixsocket ${SOCKET_NAME}`,
  'unixsocketperm 700',
  // What was answered is on the disk: an answer that a power cut takes back is a call made twice.
  'appendonly yes',
  'appendfsync always',
  // A crash in the middle of a write leaves half a command at the end, which nobody was answered.
  'aof-load-truncated yes',
  // The append-only file says everything already; snapshots would be the same again, at odd moments.
  'save ""',
  // Full memory refuses writes, and never forgets rows.
  'maxmemory-policy noeviction',
  // A row is a hash of some twenty short fields, and a finished one keeps its answer of up to 1 kB. Packed in one block
  // that took 1.6 kB a row, and 3.1 kB as the table that the default of 64 bytes makes of it (10,000 rows, Redis 7.0).
  'hash-max-ziplist-value 1024',
  'hash-max-ziplist-entries 128',
  '',
].join('\n');
