import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { STAND_IN_CREDENTIALS } from '../../src/config.ts';
import { LimitlineError } from '../../src/errors.ts';
import type { RunningRedis } from './start-servers.ts';

/** The inputs of a contender's run: the file, the service and the Redis. */
export type ContenderPlace = { file: string; serviceUrl: string; redis: RunningRedis };

/**
 * The figures that a contender prints about its run: how many rows are done, when the first line was read and when the last row ended, in
 * ms since 1970.
 */
type Statement = { done: number; startedMs: number; finishedMs: number };

/** A program that requests a limit for each row of a file, to be compared with others. */
export type RowContender = {
  name: string;
  /** Whether the contender keeps anything in the Redis that it is given. */
  usesRedis: boolean;
  command: (place: ContenderPlace) => Contender;
  statement: (answer: unknown) => Statement;
};

/** Limitline and two other programs for the same work. Each runs in a process of its own, with the same inputs. */
export const ROW_CONTENDERS: readonly [RowContender, ...RowContender[]] = [
  {
    name: 'Limitline',
    usesRedis: true,
    command: ({ file, serviceUrl, redis }) => ({
      script: limitlineScript(),
      args: ['run', file, '--json', '--no-results'],
      env: { ...serviceSettings(serviceUrl), LIMITLINE_DATA: redis.dataDir },
    }),
    statement: (answer) => {
      const { states, started, finished } = answer as {
        states: { done: number };
        started: string;
        finished: string | null;
      };
      return { done: states.done, startedMs: Date.parse(started), finishedMs: Date.parse(finished ?? '') };
    },
  },
  {
    name: 'script in memory',
    usesRedis: false,
    command: ({ file, serviceUrl }) => ({
      script: peer('script-in-memory'),
      args: [file],
      env: serviceSettings(serviceUrl),
    }),
    statement: (answer) => answer as Statement,
  },
  {
    name: 'textbook BullMQ',
    usesRedis: true,
    command: ({ file, serviceUrl, redis }) => ({
      script: peer('textbook-bullmq'),
      args: [file],
      env: { ...serviceSettings(serviceUrl), REDIS_SOCKET: redis.socketPath },
    }),
    statement: (answer) => answer as Statement,
  },
];

/**
 * Checks the statement of a contender: it did all rows, at times within the life of its process. @throws LimitlineError
 * `USAGE`
 */
export function checkStatement(
  name: string,
  { done, startedMs, finishedMs }: Statement,
  lived: { fromMs: number; toMs: number; rows: number },
): void {
  const inOrder = lived.fromMs <= startedMs && startedMs <= finishedMs && finishedMs <= lived.toMs;
  if (done === lived.rows && inOrder) return;
  const stated = JSON.stringify({ done, startedMs, finishedMs });
  const message = `${name} states ${stated}, and should have done ${lived.rows} rows between ${lived.fromMs} and ${lived.toMs}.`;
  throw new LimitlineError('USAGE', message);
}

export const PEERS: readonly RowContender[] = ROW_CONTENDERS.slice(1);

/** The path of Limitline's command line, as users start it, with its cache of compiled code. */
export function limitlineScript(): string {
  return fileURLToPath(new URL('../../scripts/limitline.cjs', import.meta.url));
}

function peer(name: string): string {
  return fileURLToPath(new URL(`peers/${name}.ts`, import.meta.url));
}

/** The settings with which a contender calls the stand-in at this address. */
export function serviceSettings(url: string): Record<string, string> {
  return {
    SERVICE_URL: url,
    SERVICE_CLIENT_ID: STAND_IN_CREDENTIALS.clientId,
    SERVICE_CLIENT_SECRET: STAND_IN_CREDENTIALS.clientSecret,
  };
}

type Ran = ProcessFigures & {
  /** The moment just before the contender's process was started, in ms since 1970. */
  startedMs: number;
  /** The time from the start of the contender's process until the process was gone, in ms. */
  wallMs: number;
  /** The JSON that the contender printed. */
  answer: unknown;
};

/**
 * Runs a contender in a separate process until it ends, and measures it. The process gets only PATH and
 * NODE_COMPILE_CACHE of this environment, and no `.env` file. `signal` kills it.
 *
 * @param cwd the working directory; a folder without a `.env` file
 * @throws LimitlineError `USAGE` with the last lines of its output, when it ends with another status than 0
 */
export async function runContender(
  { script, args, env }: Contender,
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<Ran> {
  const startedMs = Date.now();
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...AS_COMMAND, '--require', MEASURE, script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const exited = once(child, 'exit').then(([status]) => ({ status, wallMs: performance.now() - startedAt }));
  // A gentler signal would let a contender finish its calls, although its result is no longer wanted.
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  const [{ status, wallMs }, printed, said, figures] = await Promise.all([
    exited,
    text(child.stdout as Readable),
    text(child.stderr as Readable),
    text(child.stdio[FIGURES_FD] as Readable),
  ]);
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (status !== 0) {
    const lastWords = said.trim().split('\n').slice(-LAST_LINES).join(' / ');
    throw new LimitlineError('USAGE', `${basename(script)} ${args[0]} ended with status ${status}: ${lastWords}`);
  }
  return { startedMs, wallMs, answer: JSON.parse(printed), ...(JSON.parse(figures) as ProcessFigures) };
}

type Contender = { script: string; args: readonly string[]; env: Readonly<Record<string, string>> };

/** The options that limitline.cjs gives to Node; every contender gets them. */
const AS_COMMAND = ['--max-semi-space-size=8', '--preserve-symlinks'];

const MEASURE = fileURLToPath(new URL('measure-process.cjs', import.meta.url));

/** The number of last lines that are shown of a failed contender's output. A fault of Limitline takes one line, a peer's stack several. */
const LAST_LINES = 8;

/** The figures that measure-process.cjs writes when a process ends. */
type ProcessFigures = {
  /** The most memory that was resident at any one moment. */
  peakMemoryBytes: number;
  /** Processor time of all its threads, in user and in kernel mode. */
  cpuMs: number;
};

/** The file descriptor to which a process writes its figures: the first after standard input, output and error. */
const FIGURES_FD = 3;
