import { statfsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { LimitlineError, messageOf } from '../../errors.ts';
import { type Stamp, startOf } from '../../files/process-mark.ts';
import { inTime } from '../../in-time.ts';
import type { Log } from '../../log.ts';
import { checkVersion } from '../server-info.ts';
import { openFolder, openSocketPath } from './folder.ts';
import { type JoinDeps, join, leaveFolder } from './join.ts';
import { hangUp, type Member, probe } from './membership.ts';
import { killServer, waitForExit } from './server-process.ts';

type OwnRedis = { socketPath: string; where: string; close: () => Promise<void> };

/**
 * Uses the Redis of a data folder, together with all other commands on the folder. The first command starts it, any restarts it when it
 * dies, and the last ends it. If the last one crashes, it keeps running, and the next command takes it over.
 *
 * All commands on a folder must see each other's processes: containers that share a folder need a given Redis.
 *
 * @throws LimitlineError `FILE` if the folder cannot be used, `REDIS` if no server is available
 */
export async function openOwnRedis({ dataDir, log }: { dataDir: string; log: Log }): Promise<OwnRedis> {
  needProcessStarts();
  const folder = openFolder(dataDir);
  const socket = openSocketPath(folder.path);
  const place = { folder, socketPath: socket.path, log };
  const stopping = new AbortController();
  let staying: Promise<Member | undefined>;
  try {
    const member = await join(place, stopping.signal);
    await checkServerVersion(member, place);
    staying = stay(member, place, stopping.signal);
  } catch (error) {
    socket.close();
    throw error;
  }
  return {
    socketPath: socket.path,
    where: `Limitline's own Redis in ${folder.path}`,
    async close() {
      stopping.abort();
      const member = await staying;
      if (member) await leave(member, place);
      socket.close();
    },
  };
}

/** Checks that start times of processes are known, without which dead owners of locks could not be recognized. */
function needProcessStarts(): void {
  if (startOf(process.pid) !== undefined) return;
  const message =
    'This system does not say when a process started (no /proc, no ps), so Limitline cannot run a Redis of its own; set REDIS_URL.';
  throw new LimitlineError('REDIS', message);
}

/** Time limit for a server to end, in ms: it only has to close its file. */
const SHUTDOWN_LIMIT_MS = 10_000;

/** Wait before the next attempt to start a server that cannot start, such as on a full disk; the failure is logged once. */
const RETRY_MS = 1_000;

async function checkServerVersion(member: Member, place: JoinDeps): Promise<void> {
  try {
    checkVersion(member.info, 'The redis-server on the PATH');
  } catch (error) {
    await leave(member, place);
    throw error;
  }
}

/** Rejoins whenever the server dies, until `signal`. Answers the membership to end then, if any. */
async function stay(first: Member, place: JoinDeps, signal: AbortSignal): Promise<Member | undefined> {
  let member = first;
  let saidAtMs = Number.NEGATIVE_INFINITY;
  for (;;) {
    await connectionEnd(member, signal);
    if (signal.aborted) return member;
    const reason = whyNoRoom(place.folder.path);
    // On a full disk the server dies at each write, which is logged only now and then.
    if (reason === undefined || performance.now() - saidAtMs > SAY_EVERY_MS) {
      place.log.warn(
        { folder: place.folder.path, ...(reason && { reason }) },
        "Limitline's own Redis has died; starting it again",
      );
    }
    if (reason !== undefined) saidAtMs = performance.now();
    const next = await joinAgain(place, signal);
    if (!next) return undefined;
    member = next;
  }
}

/** Time in ms within which several deaths of the server on a full disk are logged once. */
const SAY_EVERY_MS = 60_000;

async function joinAgain(place: JoinDeps, signal: AbortSignal): Promise<Member | undefined> {
  for (let said = false; ; said = true) {
    try {
      return await join(place, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!said)
        place.log.error({ reason: messageOf(error) }, "Limitline's own Redis cannot be started; trying until it can");
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }
}

async function connectionEnd({ connection }: Member, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (connection.status === 'end' || signal?.aborted) return resolve();
    connection.once('end', resolve);
    signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function leave(member: Member, place: JoinDeps): Promise<void> {
  const { folder, log } = place;
  if (!(await answers(member))) {
    log.debug(
      { folder: folder.path },
      "Limitline's own Redis does not answer; the next process that needs it replaces it",
    );
    hangUp(member.connection);
    return connectionEnd(member);
  }
  // Asked twice, since a lost reply may have said that we are the last. If the server has just died there is nothing to leave: whoever
  // starts it again sees that we have no connection.
  const answer = await member.leave().catch(() => member.leave().catch(() => undefined));
  if (answer === 'last') {
    await member.connection.call('SHUTDOWN', 'NOSAVE').catch(() => {});
    if (member.server && !(await hasEnded(member.server, place))) {
      log.debug({ folder: folder.path }, "Limitline's own Redis did not get the command to end");
      hangUp(member.connection);
      return leave(await join(place, new AbortController().signal), place);
    }
    // If the folder was moved or deleted there is nothing to leave.
    try {
      leaveFolder(folder);
    } catch (error) {
      log.debug(
        { reason: messageOf(error) },
        "the note of this host in the folder of Limitline's own Redis could not be removed",
      );
    }
    log.debug({ folder: folder.path }, "ended Limitline's own Redis");
  }
  hangUp(member.connection);
  await connectionEnd(member);
}

/** Time for a reply when a command stops, so that a server that hangs does not use up the seconds left. */
const ANSWER_LIMIT_MS = 1_000;

async function answers({ connection }: Member): Promise<boolean> {
  const answer = connection.ping().then(
    () => true,
    () => false,
  );
  return await inTime(answer, ANSWER_LIMIT_MS, () => false);
}

/** Waits for the end of a server that was told to end. False if it still answers: it did not get the command, and may be in use. */
async function hasEnded(server: Stamp, { folder, socketPath }: JoinDeps): Promise<boolean> {
  if (await waitForExit(server, folder, ANSWER_LIMIT_MS)) return true;
  const found = await probe(socketPath);
  if (found.is === 'ready') {
    hangUp(found.connection);
    return false;
  }
  // A server without free connections is in use: the last user ends it.
  if (found.is === 'full') return true;
  if (!(await waitForExit(server, folder, SHUTDOWN_LIMIT_MS))) await killServer(server, folder);
  return true;
}

/** Free bytes below which a full disk counts as the reason why the server died: Redis writes more in a moment under load. */
const LEAST_FREE_BYTES = 256 * 1024;

/** Says that the disk of a folder is full, and what to do; undefined if it is not, or cannot be read. */
function whyNoRoom(path: string): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize < LEAST_FREE_BYTES ? `the disk of ${path} is full; make room` : undefined;
  } catch {
    return undefined;
  }
}
