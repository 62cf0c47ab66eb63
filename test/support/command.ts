import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export const LIMITLINE = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

export type Ended = { status: number | null; stdout: string; stderr: string };

export type Command = { child: ChildProcess; ended: Promise<Ended>; output: () => { stdout: string; stderr: string } };

/**
 * Starts the command line as a user does, in a folder and with settings of the test's own. What still runs when the test
 * ends is killed.
 */
export function startCommand(
  words: string[],
  { cwd, env = {}, input }: { cwd: string; env?: Record<string, string>; input?: string | Buffer },
): Command {
  const child = spawn(process.execPath, [LIMITLINE, ...words], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(input);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
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
export function runCommand(words: string[], options: Parameters<typeof startCommand>[1]): Promise<Ended> {
  return startCommand(words, options).ended;
}
