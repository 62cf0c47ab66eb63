import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { vi } from 'vitest';
import { bundled } from '../bundle.ts';

/** A command that uses a data folder, as a separate process. */
const USER_PROCESS = bundled('user-process');

/** Makes data folders and processes; `clean()` ends and deletes all of them, including servers. */
export function makeOwnFixture() {
  const dirs: string[] = [];
  const children: ChildProcess[] = [];
  return {
    makeDir(): string {
      const dir = realpathSync(mkdtempSync(join(tmpdir(), 'limitline-own-')));
      dirs.push(dir);
      return dir;
    },
    user: (dataDir: string, options?: UserOptions) => startUser(children, dataDir, options),
    async clean(): Promise<void> {
      for (const child of children) if (!hasEnded(child)) child.kill('SIGKILL');
      for (const pid of dirs.flatMap(serversBelow)) process.kill(pid, 'SIGKILL');
      await vi.waitUntil(() => children.every(hasEnded) && dirs.flatMap(serversBelow).length === 0, WAIT);
      for (const dir of dirs) rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Long enough for processes on a busy machine (vitest's default is a second); mostly it takes milliseconds. */
export const WAIT = { timeout: 60_000, interval: 25 };

/** The Redis servers whose working directory is in this folder, even if it was moved or deleted. */
export function serversBelow(dir: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isServer = /(redis|valkey)[^/]*$/.test(readlinkSync(`/proc/${name}/exe`));
      return isServer && `${readlinkSync(`/proc/${name}/cwd`)}/`.startsWith(`${dir}/`) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

type UserOptions = { task?: readonly string[]; env?: NodeJS.ProcessEnv; cwd?: string };

async function startUser(
  children: ChildProcess[],
  dataDir: string,
  { task = [], env = process.env, cwd = process.cwd() }: UserOptions = {},
) {
  const child = spawn(process.execPath, [USER_PROCESS, dataDir, ...task], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const answer = async () => JSON.parse((await lines.next()).value ?? '{}');
  return {
    first: await answer(),
    async ask(line: string) {
      child.stdin.write(`${line}\n`);
      return answer();
    },
    /** Leaves properly, and waits for the end of the process. */
    async close(): Promise<void> {
      child.stdin.end('close\n');
      await vi.waitUntil(() => hasEnded(child), WAIT);
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await vi.waitUntil(() => hasEnded(child), WAIT);
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
