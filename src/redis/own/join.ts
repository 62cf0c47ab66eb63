import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { isLimitlineError, LimitlineError, messageOf } from '../../errors.ts';
import { lockOwner, tryLock } from '../../files/lock.ts';
import { type Folder, pidOf } from '../../files/process-mark.ts';
import type { Log } from '../../log.ts';
import { checkInPlace, notWritable } from './folder.ts';
import { checkHost, enterHost, leaveHost } from './host.ts';
import { hangUp, joinServer, type Member, probe } from './membership.ts';
import { killServer, LOG_NAME, lastLogLine, runningServer, startServer } from './server-process.ts';

export type JoinDeps = { folder: Folder; socketPath: string; log: Log };

/**
 * Joins the folder's server: a running one, or one that this or another process starts now. While the last user ends the server, it waits
 * for that end.
 *
 * @throws LimitlineError `REDIS` if no server can be started or nothing progresses for {@link PATIENCE_MS}, `FILE` if the folder is gone,
 *   and the reason of `signal`
 */
export async function join(place: JoinDeps, signal: AbortSignal): Promise<Member> {
  const { folder, socketPath } = place;
  let movedAt = performance.now();
  let trouble = '';
  // If this process started the server, it joins even when told to stop, since nobody else would end the server.
  for (let started = false; started || !signal.aborted; await sleep(pauseMs())) {
    checkInPlace(folder);
    const found = await probe(socketPath);
    if (found.is === 'ready') {
      const member = await joinServer(found.connection, found.info, folder).catch((error) => {
        trouble = messageOf(error);
      });
      if (member) return member;
      hangUp(found.connection);
    } else if (found.is === 'loading') {
      movedAt = performance.now();
    } else if (found.is === 'full') {
      trouble = 'all connections that it allows are in use';
    } else {
      // After a start the signal is ignored here too, since nobody else would end the server.
      started = (await startAlone(place, started ? NEVER : signal)) || started;
    }
    if (performance.now() - movedAt > PATIENCE_MS) throw tooLong(folder, trouble);
  }
  throw signal.reason;
}

const NEVER = new AbortController().signal;

/**
 * How long a process waits for a server without any progress, such as data being loaded. A start or an end takes much less, even under
 * load.
 */
const PATIENCE_MS = 30_000;

/**
 * Time in ms after which a server that accepts no connection counts as hanging. Its longest pause, while it writes to a slow disk, is
 * shorter.
 */
const WEDGED_AFTER_MS = 10_000;

/** A pause between two looks at the server: about as long as Redis takes to start, and randomized among waiting processes. */
const pauseMs = (): number => 10 + Math.random() * 20;

/** Starts a server unless another process is starting one or just has. Answers whether it did. */
async function startAlone(place: JoinDeps, signal: AbortSignal): Promise<boolean> {
  let release: (() => void) | undefined;
  try {
    // Checked before the lock too: between hosts the lock means nothing, and taking it would break another host's.
    checkHost(place.folder);
    release = tryLock(place.folder);
    if (release === undefined || (await isServed(place, signal))) return false;
    return await startHere(place);
  } catch (error) {
    throw isLimitlineError(error) || signal.aborted ? error : notWritable(place.folder.path, error);
  } finally {
    release?.();
  }
}

/** Starts a server, and notes that it runs on this host. */
async function startHere(place: JoinDeps): Promise<boolean> {
  enterHost(place.folder);
  let started = false;
  try {
    started = await start(place);
    return started;
  } finally {
    if (!started && runningServer(place.folder) === undefined) leaveHost(place.folder);
  }
}

/** Lets other hosts use the folder after the server ended, unless a process of this host is starting one. */
export function leaveFolder(folder: Folder): void {
  const release = tryLock(folder);
  if (release === undefined) return;
  try {
    if (runningServer(folder) === undefined) leaveHost(folder);
  } finally {
    release();
  }
}

/** Waits until the last started server listens or has ended. One that does neither is killed. */
async function isServed({ folder, socketPath, log }: JoinDeps, signal: AbortSignal): Promise<boolean> {
  const since = performance.now();
  for (;;) {
    if (await isListening(socketPath)) return true;
    const server = runningServer(folder);
    if (server === undefined) return false;
    if (performance.now() - since > WEDGED_AFTER_MS) {
      log.warn(
        { server: pidOf(server), folder: folder.path },
        "Limitline's own Redis does not answer; killing and replacing it",
      );
      await killServer(server, folder);
      return false;
    }
    await sleep(pauseMs(), undefined, { signal });
  }
}

/** Starts a server and waits until it listens. @returns false if it was ended again meanwhile */
async function start({ folder, socketPath, log }: JoinDeps): Promise<boolean> {
  const child = await startServer(folder);
  const since = performance.now();
  while (!(await isListening(socketPath))) {
    if (child.exitCode) throw await notStarted(folder);
    // Other processes have already joined the server, and the last of them has ended it again.
    if (hasEnded(child)) return false;
    if (performance.now() - since > PATIENCE_MS) {
      child.kill('SIGKILL');
      throw tooLong(folder, 'it does not listen');
    }
    await sleep(pauseMs());
  }
  log.info({ server: child.pid, folder: folder.path }, "started Limitline's own Redis");
  return true;
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

async function isListening(socketPath: string): Promise<boolean> {
  const found = await probe(socketPath);
  if (found.is === 'ready') hangUp(found.connection);
  return found.is === 'ready' || found.is === 'loading' || found.is === 'full';
}

async function notStarted(folder: Folder): Promise<LimitlineError> {
  const reason = await lastLogLine(folder);
  const message = `redis-server stops as soon as it starts: ${reason} (see ${folder.path}/${LOG_NAME}).`;
  return new LimitlineError('REDIS', message);
}

function tooLong(folder: Folder, trouble: string): LimitlineError {
  const starter = lockOwner(folder);
  const reason = trouble || (starter ? `process ${pidOf(starter)} is starting it` : 'another command is ending it');
  const remedy = `the log ${folder.path}/${LOG_NAME} may say why; end that process if it hangs, and try again`;
  const message = `Limitline's own Redis has not started within ${PATIENCE_MS / 1_000} s (${reason}); ${remedy}.`;
  return new LimitlineError('REDIS', message);
}
