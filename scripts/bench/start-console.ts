import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { endChild, readUrl } from './child-server.ts';

export type RunningConsole = AsyncDisposable & {
  url: string;
  /** The most memory that was resident since it began, or since {@link RunningConsole.forgetPeak}; on Linux alone. */
  peakBytes(): number;
  residentBytes(): number;
  forgetPeak(): void;
  /** Processor time so far. */
  cpuMs(): number;
};

const COMMAND = fileURLToPath(new URL('../limitline.ts', import.meta.url));

/** What the command's own first line asks of Node. */
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
  const url = await readUrl(child, 'The console');
  const status = (name: string): number => {
    const text = readFileSync(`/proc/${child.pid}/status`, 'latin1');
    return 1_024 * Number(new RegExp(`^${name}:\\s*(\\d+) kB$`, 'm').exec(text)?.[1]);
  };
  return {
    url,
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
