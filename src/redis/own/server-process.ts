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
import { type Folder, isAlive, pidOf, type Stamp, stampOf } from '../../files/process-mark.ts';
import { SOCKET_NAME } from './folder.ts';

/**
 * Starts a server on the folder and notes it in `server.pid` there; the caller has the lock and has checked that no other server runs. It
 * is a separate process: neither Ctrl-C nor a crash of ours ends it.
 *
 * It gets its configuration only after its stamp is written. If we are killed before that, it has nothing to listen on and ends by itself,
 * so there is never a server that nobody knows of.
 *
 * @throws LimitlineError `REDIS` if there is no redis-server or it cannot be run, and what the file system says if the folder cannot be
 *   written to
 */
export async function startServer(folder: Folder): Promise<ChildProcess> {
  const program = findServer();
  const logFd = openLog(folder);
  const child = spawn(program, ['--port', '0', '-'], {
    cwd: folder.path,
    detached: true,
    stdio: ['pipe', logFd, logFd],
    // The server does not get our environment, which contains credentials: the server may outlive us.
    env: { PATH: process.env.PATH },
  });
  closeSync(logFd);
  // The server may end before it reads its input; its end is reported later.
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

/** The last server started on this folder, if it still lives. */
export function runningServer(folder: Folder): Stamp | undefined {
  try {
    const stamp = readFileSync(join(folder.path, RECORD_NAME), 'utf8');
    return isAlive(stamp, folder) ? stamp : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Kills a server that accepts no connections, and waits until it is gone. Everything that it answered is on the disk.
 *
 * @throws LimitlineError `REDIS` if it does not end even so: it waits for a disk, and may still write
 */
export async function killServer(stamp: Stamp, folder: Folder): Promise<void> {
  if (isAlive(stamp, folder)) process.kill(pidOf(stamp), 'SIGKILL');
  if (await waitForExit(stamp, folder, KILL_LIMIT_MS)) return;
  const remedy = 'look at the disk of the data folder, and start again once the process is gone';
  throw new LimitlineError('REDIS', `redis-server (process ${pidOf(stamp)}) cannot be killed; ${remedy}.`);
}

/** @returns whether the process ended within `limitMs` */
export async function waitForExit(stamp: Stamp, folder: Folder, limitMs: number): Promise<boolean> {
  for (const startedAt = performance.now(); isAlive(stamp, folder); await sleep(POLL_MS)) {
    if (performance.now() - startedAt > limitMs) return false;
  }
  return true;
}

/** The last line of the server's log, for the message of a failed start. */
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

/** Interval of checks: a process ends within milliseconds, and a check costs microseconds. */
const POLL_MS = 10;

/** Time for a killed process to end: it is gone at once, unless the kernel waits for something. */
const KILL_LIMIT_MS = 10_000;

/** Bytes read at the end of the log: longer than any line of Redis. */
const LOG_TAIL_BYTES = 2_000;

/** The log begins anew above this size, since nobody else rotates it; each start writes about 2 kB. */
const MAX_LOG_BYTES = 1_000_000;

const SERVER_NAMES = ['redis-server', 'valkey-server'];

function findServer(): string {
  for (const name of SERVER_NAMES) {
    for (const dir of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(dir, name);
      if (dir !== '' && isExecutable(path)) return path;
    }
  }
  const message =
    'No redis-server or valkey-server is on the PATH: install one (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis), or set REDIS_URL.';
  throw new LimitlineError('REDIS', message);
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
  // Renamed into place, so that a reader gets a complete record, old or new.
  try {
    writeFileSync(`${path}.new`, stampOf(pid, folder) ?? '');
    renameSync(`${path}.new`, path);
  } catch (error) {
    rmSync(`${path}.new`, { force: true });
    throw error;
  }
}

/**
 * The configuration of our own Redis, given on its standard input. It is valid for 6.2 to 8 and for Valkey, hence `ziplist`, the older name
 * of listpacks that all of them know. A server that is too old must start, so that its version can be reported.
 */
const SERVER_CONFIG = [
  // The server is only reachable through the data folder, by the folder's owner. `port 0` is on the command line.
  `unixsocket ${SOCKET_NAME}`,
  'unixsocketperm 700',
  // Every reply must be on the disk: one that a power cut undoes would lead to a call made twice.
  'appendonly yes',
  'appendfsync always',
  // A crash during a write leaves half a command at the end, which was never answered.
  'aof-load-truncated yes',
  // The append-only file has everything; snapshots would repeat it at arbitrary moments.
  'save ""',
  // A full memory rejects writes, and never deletes rows.
  'maxmemory-policy noeviction',
  // A row is a hash of some twenty short fields; a finished one keeps a response of up to 1 kB. As one compact block it takes 1.6 kB; as a
  // table, with the default of 64 bytes, 3.1 kB (10,000 rows, Redis 7.0).
  'hash-max-ziplist-value 1024',
  'hash-max-ziplist-entries 128',
  '',
].join('\n');
