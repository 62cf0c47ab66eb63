import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { LimitlineError } from '../../src/errors.ts';

/** A program for Node, and what it is told. */
export type Contender = { script: string; args: readonly string[]; env: Readonly<Record<string, string>> };

type Ran = ProcessFigures & {
  /** Just before its process was started, in ms since 1970. */
  startedMs: number;
  /** From there until its process was gone. */
  wallMs: number;
  /** The JSON that it printed. */
  answer: unknown;
};

/**
 * Runs a contender in a process of its own until it ends, and says what that took. It sees nothing of this process's
 * environment but the PATH, and no `.env` file. `signal` kills it.
 *
 * @param cwd where it runs; a folder without a `.env` file
 * @throws LimitlineError `USAGE` with the last lines that it wrote, when it ends with another status than 0
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
  // A kinder signal may leave it as much time as its calls need, and nobody wants its answer any more.
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

/** What the command's own first lines ask of Node; every contender gets it. */
const AS_COMMAND = ['--max-semi-space-size=8', '--preserve-symlinks'];

const MEASURE = fileURLToPath(new URL('measure-process.cjs', import.meta.url));

/** A fault of ours is one line; one of somebody else's is a stack, whose first lines say what it is. */
const LAST_LINES = 8;

/** What a process says of itself when it ends. */
type ProcessFigures = {
  /** The most memory that was resident at any one moment. */
  peakMemoryBytes: number;
  /** Processor time of all its threads, in user and in kernel mode. */
  cpuMs: number;
};

/** The file descriptor on which it says so: the first behind the standard three. */
const FIGURES_FD = 3;
