import type { Command } from 'commander';
import { accountOf, readSettings, type Settings } from '../../src/config.ts';
import { messageOf } from '../../src/errors.ts';
import { type Log, makeLog } from '../../src/log.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Makes everything on standard error a log entry, so that a log collector can parse each line: messages, the final fault,
 * Node's warnings, and what libraries print on the console.
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

/** Reads the settings, and makes the log by them through which the command speaks from now on. */
export function speakByLog(terminal: Terminal): { settings: Settings; log: Log } {
  const settings = readSettings();
  const log = makeLog({ level: settings.LOG_LEVEL, account: accountOf(settings) });
  speakThroughLog(terminal, log);
  return { settings, log };
}

/** Makes faults of the command line log entries, too, unless standard error is a terminal. */
export function logUsageFaults(command: Command): Command {
  if (process.stderr.isTTY) return command;
  return command.configureOutput({
    outputError: (text) => makeLog({ level: 'fatal' }).fatal(text.replace(/^error: /, '').trim()),
    // After a fault, only where help is found.
    writeErr: () => {},
  });
}

/** Texts, numbers and messages of errors. Leaves out all else, since it may contain personal data. */
function textOf(args: unknown[]): string {
  return args
    .filter((arg) => arg instanceof Error || ['string', 'number'].includes(typeof arg))
    .map(messageOf)
    .join(' ');
}
