import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { COMPILED, LIMITLINE, ownDataHome } from './command.ts';

/** What keys send. */
export const KEYS = { ctrlC: '\x03', ctrlD: '\x04' } as const;

/**
 * Starts the command line on a terminal of its own, as a person does: `script` of util-linux makes one, which Debian has on
 * every machine (bsdutils). What it shows is gathered, and keys are pressed.
 *
 * @param redirected a redirection as the shell has it, such as `2>errors.txt`
 * @param script another than the command line: `start.ts` is what `npm start` runs
 */
export function startOnTerminal(
  args: string[],
  {
    cwd,
    env = {},
    redirected = '',
    script = LIMITLINE,
  }: { cwd: string; env?: Record<string, string>; redirected?: string; script?: string },
) {
  const command = [process.execPath, script, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['--quiet', '--return', '--command', `exec ${command} ${redirected}`, '/dev/null'], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SHELL: '/bin/sh',
      ...COMPILED,
      ...ownDataHome(cwd),
      ...env,
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    // As a person reads it: without the signs that return, and clear the line.
    shown += text.replaceAll('\r', '').replaceAll('\x1b[2K', '');
  });
  const ended = new Promise<{ status: number | null; shown: string }>((resolve) => {
    child.once('close', (status) => resolve({ status, shown }));
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { shown: () => shown, ended, press: (keys: string) => child.stdin.write(keys) };
}
