import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import type { CallKind } from '../../src/call-kind.ts';
import { LimitlineError } from '../../src/errors.ts';
import { makeSilentLog } from '../../src/log.ts';
import { openOwnRedis } from '../../src/redis/own/open.ts';
import { readInfo } from '../../src/redis/server-info.ts';
import type { FaultChange } from '../../src/stand-in/fault-settings.ts';

/** The stand-in's report on what it really made, see its `GET /_stand-in/made`. */
export type ServiceReport = {
  /** Requests by kind and by answer. */
  requests: Record<CallKind | 'token' | 'other', Record<string, number>>;
  made: Record<CallKind, number>;
  madeTwice: { kind: string; what: string; times: number }[];
  maxPerSecond: number;
  maxInFlight: number;
};

export type RunningService = AsyncDisposable & {
  url: string;
  report(): Promise<ServiceReport>;
  setFaults(change: FaultChange): Promise<void>;
  /** Sets all counts of the stand-in to zero, and ends the faults that it makes. */
  reset(): Promise<void>;
  /** Resolves when the first call for a resource has been answered, within {@link LOOK_EVERY_MS} of it. */
  firstCall(signal: AbortSignal): Promise<void>;
};

/**
 * Starts the stand-in of the service in a process of its own (`limitline service`), on a free port of this machine; it
 * ends when it is disposed of.
 *
 * @throws LimitlineError `SERVICE` when it does not start
 */
export async function startService(script = COMMAND): Promise<RunningService> {
  const args = [script, 'service', '--port', '0', '--json'];
  // The bench's other environment variables are left out: a SERVICE_… variable would not be meant for the stand-in.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, LOG_LEVEL: 'error' };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    return runningService(child, (await readPlace(child, 'The stand-in')).url);
  } catch (error) {
    await endChild(child);
    throw error;
  }
}

/** Calls for resources, whatever they were answered; those for tokens are left out. */
export function resourceCalls({ requests }: ServiceReport): number {
  const { company, document, limit } = requests;
  return [company, document, limit].flatMap((answers) => Object.values(answers)).reduce((sum, count) => sum + count, 0);
}

export type RunningConsole = AsyncDisposable & {
  url: string;
  /** The cookies that a browser sends after it opened the console; '' if none is needed. */
  cookie: string;
  /** The most memory that was resident since the process began, or since {@link RunningConsole.forgetPeak}; on Linux alone. */
  peakBytes(): number;
  residentBytes(): number;
  forgetPeak(): void;
  /** Processor time so far. */
  cpuMs(): number;
};

/** The option that limitline.cjs gives to Node. */
export const AS_COMMAND = ['--max-semi-space-size=8'];

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const TICKS_PER_S = 100;

/** Starts `limitline console` in a process of its own, on a free port; it ends when it is disposed of. */
export async function startConsole(given: { cwd: string; env: Record<string, string> }): Promise<RunningConsole> {
  const child = spawn(process.execPath, [...AS_COMMAND, COMMAND, 'console', '--json'], {
    cwd: given.cwd,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', ...given.env, CONSOLE_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { url, link } = await readPlace(child, 'The console');
  // A console without users is opened by the link that it prints.
  const cookie = link === undefined ? '' : await cookieOf(link);
  const status = (name: string): number => {
    const text = readFileSync(`/proc/${child.pid}/status`, 'latin1');
    return 1_024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1]);
  };
  return {
    url,
    cookie,
    peakBytes: () => status('VmHWM'),
    residentBytes: () => status('VmRSS'),
    // proc(5): 5 sets the peak to what is resident now.
    forgetPeak: () => writeFileSync(`/proc/${child.pid}/clear_refs`, '5'),
    cpuMs() {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_S;
    },
    [Symbol.asyncDispose]: () => endChild(child),
  };
}

export type RunningRedis = AsyncDisposable & {
  /** A data folder (LIMITLINE_DATA) that uses this server. */
  dataDir: string;
  /** The Unix socket, for programs that know nothing of data folders. */
  socketPath: string;
  figures(): Promise<RedisFigures>;
};

type RedisFigures = { version: string; usedMemoryBytes: number; cpuMs: number };

/**
 * Starts an empty Redis as the product starts its own: on a fresh data folder, on a Unix socket, and with every write
 * on the disk before it is answered. The product and its peers get the same server in this way. It ends, and its data
 * is removed, when it is disposed of.
 *
 * @param isKept whether every write goes to the disk; otherwise none does
 * @throws LimitlineError `REDIS` when no server can be had
 */
export async function startRedis({ isKept = true }: { isKept?: boolean } = {}): Promise<RunningRedis> {
  await using started = new AsyncDisposableStack();
  const { path } = started.use(await makeTemporaryFolder());
  const dataDir = join(path, 'data');
  const own = await openOwnRedis({ dataDir, log: makeSilentLog() });
  started.defer(() => own.close());
  const connection = new Redis({ path: own.socketPath, maxRetriesPerRequest: null });
  connection.on('error', () => {});
  started.defer(() => connection.disconnect());
  if (!isKept) await connection.config('SET', 'appendonly', 'no');
  const running = started.move();
  return {
    dataDir,
    socketPath: own.socketPath,
    async figures() {
      const info = await readInfo(connection);
      const cpuS = Number(info.used_cpu_user) + Number(info.used_cpu_sys);
      return { version: info.redis_version ?? '?', usedMemoryBytes: Number(info.used_memory), cpuMs: cpuS * 1_000 };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** How long a child may take to end: it has little to finish, so it ends within milliseconds, or something is wrong with it. */
const END_LIMIT_MS = 5_000;

export async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS);
  await exited;
  clearTimeout(late);
}

/** Makes a folder, which is removed with all that is in it when it is disposed of. */
export async function makeTemporaryFolder(): Promise<AsyncDisposable & { path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'limitline-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** The address at which a child listens: in the first answer that it prints, JSON over several lines. */
async function readPlace(child: ChildProcess, what: string): Promise<{ url: string; link: string | undefined }> {
  let printed = '';
  for await (const piece of child.stdout ?? []) {
    printed += String(piece);
    if (!printed.trimEnd().endsWith('}')) continue;
    const of = (name: string) => new RegExp(`"${name}": *"([^"]+)"`).exec(printed)?.[1];
    const url = of('url');
    if (url !== undefined) return { url, link: of('link') };
  }
  throw new LimitlineError('SERVICE', `${what} ended before it said where it listens; its reason stands above.`);
}

async function cookieOf(link: string): Promise<string> {
  const answer = await fetch(link, { redirect: 'manual' });
  return answer.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
}

const COMMAND = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

/** The stand-in's own endpoints (`src/stand-in/app.ts`). */
const CONTROL_PATH = '/_stand-in';

/** The interval of questions to the stand-in: fine enough to measure about a second, for 2 % of a processor core at the most. */
const LOOK_EVERY_MS = 10;

function runningService(child: ChildProcess, url: string): RunningService {
  const ask = async (path: string, init: RequestInit = {}): Promise<unknown> => {
    const answer = await fetch(`${url}${CONTROL_PATH}${path}`, init);
    if (!answer.ok) {
      const reason = `${answer.status} ${await answer.text()}`;
      throw new LimitlineError('SERVICE', `The stand-in answers ${reason} to ${path}; its control endpoints changed.`);
    }
    return answer.json();
  };
  const report = async () => (await ask('/made')) as ServiceReport;
  return {
    url,
    report,
    async setFaults(change) {
      const headers = { 'content-type': 'application/json' };
      await ask('/faults', { method: 'POST', headers, body: JSON.stringify(change) });
    },
    async reset() {
      await ask('/reset', { method: 'POST' });
    },
    async firstCall(signal) {
      while (resourceCalls(await report()) === 0) await sleep(LOOK_EVERY_MS, undefined, { signal });
    },
    [Symbol.asyncDispose]: () => endChild(child),
  };
}
