import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const LIMITLINE = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

export type Ended = { status: number | null; stdout: string; stderr: string };

export type Command = { child: ChildProcess; ended: Promise<Ended>; output: () => { stdout: string; stderr: string } };

/**
 * Starts the command line as a user does, in a folder and with settings of the test's own. What still runs when the test
 * ends is killed.
 */
export function startCommand(
  words: string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string> },
): Command {
  const child = spawn(process.execPath, [LIMITLINE, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (status) => resolve({ status, stdout, stderr }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, output: () => ({ stdout, stderr }) };
}

/** Runs a command to its end. */
export function runCommand(words: string[], options: { cwd: string; env?: Record<string, string> }): Promise<Ended> {
  return startCommand(words, options).ended;
}
