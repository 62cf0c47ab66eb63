import type { Command } from 'commander';
import { messageOf } from '../../src/errors.ts';
import { type Log, makeLog } from '../../src/log.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * From now on standard error has entries of the log and nothing else, so that whatever gathers them can read each: what is
 * said on the way, the fault that ends the command, Node's warnings, and what a library prints on the console.
 */
export function speakThroughLog(terminal: Terminal, log: Log): void {
  terminal.sayTo(log);
  process.removeAllListeners('warning').on('warning', (warning: Error & { code?: string }) => {
    const { name, code } = warning;
    log.warn({ type: name, ...(code === undefined ? {} : { code }) }, messageOf(warning));
  });
  for (const level of ['error', 'warn', 'info', 'debug'] as const) {
    console[level] = (...args: unknown[]) => log[level](textOf(args));
  }
  console.log = console.info;
}

/** A fault of the command line is an entry of the log as well, where standard error is no terminal. */
export function logUsageFaults(command: Command): Command {
  if (process.stderr.isTTY) return command;
  return command.showHelpAfterError(false).configureOutput({
    writeErr: (text) => makeLog({ level: 'fatal' }).fatal(text.replace(/^error: /, '').trim()),
  });
}

/** Texts and numbers as they are, errors without what hangs on them; of all else nothing, since it may hold anybody's data. */
function textOf(args: unknown[]): string {
  return args
    .filter((arg) => arg instanceof Error || ['string', 'number'].includes(typeof arg))
    .map(messageOf)
    .join(' ');
}
