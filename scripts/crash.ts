import { isLimitlineError, messageOf } from '../src/errors.ts';
import { errorFacts } from '../src/log.ts';
import type { Terminal } from './terminal/terminal.ts';

/** A fault of use or of the system: one line on standard error, with what to do about it. */
export const FAULT_STATUS = 1;

/** Says what ended a command: one line for a fault that we know, and for any other also where it happened. */
export function sayFault(error: unknown, { say }: Terminal): void {
  say(`limitline: ${messageOf(error)}`);
  if (!isLimitlineError(error)) say(errorFacts(error).stack);
}

/**
 * Ends the process at what nobody caught. Node would print the error with all that hangs on it, and on one of Redis hang
 * the arguments of the command: names and e-mail addresses.
 */
export function sayCrashes(terminal: Terminal): void {
  process.on('uncaughtException', (error) => {
    sayFault(error, terminal);
    process.exit(FAULT_STATUS);
  });
}
