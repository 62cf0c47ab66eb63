import { CommanderError } from 'commander';
import { isForbidden, isForbiddenWithin, isLimitlineError, messageOf } from '../../src/errors.ts';
import { fileFault } from '../../src/files/disk.ts';
import { isOurMistake } from '../../src/ledger/schema/until-answered.ts';
import { isOutputGone } from '../../src/line-writer.ts';
import { errorFacts } from '../../src/log.ts';
import { isRefusedAsFull, nearlyFullWords } from '../../src/redis-memory/memory.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { FAULT_STATUS } from './exit-status.ts';

/**
 * Sets the exit status for what a command threw. Commander has printed faults of arguments already, and `--help` is no fault. With `--json`
 * a fault is an object on standard output, too, unless the command has answered there.
 */
export function endByFault(
  error: unknown,
  terminal: FaultOutput & Pick<Terminal, 'json' | 'print' | 'hasPrinted'>,
): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : FAULT_STATUS;
  } else {
    process.exitCode = FAULT_STATUS;
    sayFault(error, terminal);
  }
  const isJson = terminal.json && !terminal.hasPrinted();
  if (isJson && process.exitCode === FAULT_STATUS)
    terminal.print('', { error: faultWords(error) ?? usageWords(error) ?? messageOf(error), status: FAULT_STATUS });
}

/** A fault of the arguments, without the word with which Commander begins its line. */
function usageWords(error: unknown): string | undefined {
  if (!(error instanceof CommanderError)) return undefined;
  // Commander has printed the help of a group of commands, and names no fault.
  return error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '');
}

/** Reports a fault: known faults in one line, others with their stack. */
export function sayFault(error: unknown, terminal: FaultOutput): void {
  const words = faultWords(error);
  const isKnown = words !== undefined || isLimitlineError(error);
  const log = terminal.log();
  if (log) {
    log.fatal(isKnown ? {} : { err: error }, words ?? messageOf(error));
    return;
  }
  terminal.say(`limitline: ${words ?? messageOf(error)}`);
  if (!isKnown) terminal.say(errorFacts(error).stack);
}

/** A fault of Redis in words, with what to do. */
function faultWords(error: unknown): string | undefined {
  if (isRedisGone(error)) return `Redis was lost on the way (${messageOf(error)}); run the same command to continue.`;
  if (isRefusedAsFull(error)) return `${nearlyFullWords()} Run the same command later to continue.`;
  if (isForbiddenWithin(error)) {
    return `Redis refuses access (${messageOf(error)}); give its user the rights that docs/deployment.md names, and rename none of its commands, then run the same command to continue.`;
  }
  if (isForbidden(error)) {
    return `Redis refuses access (${messageOf(error)}); give its user this right, then run the same command to continue.`;
  }
  if (isRefusedForNow(error)) {
    return `Redis cannot take commands at the moment (${messageOf(error)}); run the same command to continue.`;
  }
  return undefined;
}

/** Errors of ioredis for a command without an answer or a connection. */
const GONE =
  /^(Command timed out|Command aborted due to connection close|Connection is closed\.?|Socket timeout.*|Stream isn't writeable.*)$/;

function isRedisGone(error: unknown): boolean {
  return error instanceof Error && (GONE.test(error.message) || /^(ECONNRESET|EPIPE)/.test(codeOf(error)));
}

/** Whether Redis refuses commands for now, because it loads data or cannot write. */
function isRefusedForNow(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !isOurMistake(error);
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '');

/**
 * Ends the process at an uncaught error. Node would print all its properties, and an error of Redis has the command's
 * arguments: names and e-mail addresses.
 */
export function sayCrashes(terminal: FaultOutput): void {
  process.on('uncaughtException', (error) => {
    try {
      sayFault(error, terminal);
    } finally {
      // Exits even if reporting fails: an error here would end the process with another status.
      process.exit(FAULT_STATUS);
    }
  });
}

/** The name of standard output in a sentence. */
export const STANDARD_OUTPUT = 'standard output';

/**
 * Keeps a process alive when its output cannot be written: calls in flight would be cut off, and their rows held. A reader that closes
 * early (`limitline run … | head`) or a closed terminal is no fault. A full disk is one, reported when the command has ended.
 */
export function surviveOutput(terminal: FaultOutput): void {
  let fault: NodeJS.ErrnoException | undefined;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isOutputGone(error)) fault ??= error;
  });
  process.stderr.on('error', () => {});
  process.on('exit', () => {
    // A command that failed has reported its fault already.
    if (!fault || process.exitCode === FAULT_STATUS) return;
    process.exitCode = FAULT_STATUS;
    sayFault(fileFault(STANDARD_OUTPUT, 'written', fault), terminal);
  });
}

/** Where faults go: text, or the log. */
type FaultOutput = Pick<Terminal, 'say' | 'log'>;
