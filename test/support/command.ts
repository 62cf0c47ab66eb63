import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundled } from './bundle.ts';

/** The command line as it is, of which a few tests show that it starts. */
export const LIMITLINE_SOURCE = fileURLToPath(new URL('../../scripts/limitline.ts', import.meta.url));

/** The same put together, for all tests of what commands do: half of what one costs is the loading of a thousand files. */
export const LIMITLINE = bundled('limitline');

export type Ended = { status: number | null; stdout: string; stderr: string };

export type Command = { child: ChildProcess; ended: Promise<Ended>; output: () => { stdout: string; stderr: string } };

/** What a run of the tests compiled once, hundreds of commands need not compile again: it halves what one costs. */
export const COMPILED = {
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../../node_modules/.cache/limitline', import.meta.url)),
};

/** The part of the environment by which the user's own data folder is one in the test's folder. */
export function ownDataHome(cwd: string): { XDG_DATA_HOME: string } {
  return { XDG_DATA_HOME: join(cwd, '.data-home') };
}

/** `input` is what comes through standard input; without it, that is closed. */
type Place = { cwd: string; env?: Record<string, string>; input?: string | Buffer };

/**
 * Starts the command line as a user does, in a folder and with settings of the test's own. What still runs when the test
 * ends is killed.
 */
export function startCommand(args: string[], place: Place): Command {
  return startScript(LIMITLINE, args, place);
}

/** Runs a command to its end. */
export function runCommand(args: string[], place: Place): Promise<Ended> {
  return startCommand(args, place).ended;
}

/** The same for another script than the command line: `start.ts` is what `npm start` runs. */
export function startScript(script: string, args: string[], { cwd, env = {}, input }: Place): Command {
  const child = spawn(process.execPath, [script, ...args], {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...COMPILED, ...ownDataHome(cwd), ...env },
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
