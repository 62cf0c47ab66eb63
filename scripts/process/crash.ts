import { CommanderError } from 'commander';
import { isLimitlineError, messageOf } from '../../src/errors.ts';
import { isOurMistake } from '../../src/ledger/schema/until-answered.ts';
import { errorFacts } from '../../src/log.ts';
import { isRefusedAsFull, nearlyFullWords } from '../../src/redis-memory/memory.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { FAULT_STATUS } from './exit-status.ts';

/** Where a fault is said: in words, or as an entry of the log where everything goes there. */
export type FaultOutput = Pick<Terminal, 'say' | 'log'>;

/** Ends a command by what it threw. Commander has said already what is wrong with the arguments, and `--help` is no fault. */
export function endByFault(error: unknown, terminal: FaultOutput): void {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : FAULT_STATUS;
  } else {
    process.exitCode = FAULT_STATUS;
    sayFault(error, terminal);
  }
}

/** Says what ended a command: one line for a fault that we know, and for any other also where it happened. */
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

/** What is wrong with Redis, in words that say what to do. */
function faultWords(error: unknown): string | undefined {
  if (isRedisGone(error)) {
    return `Redis was lost on the way (${messageOf(error)}); the same command goes on from here.`;
  }
  if (isRefusedAsFull(error)) return `${nearlyFullWords()} This command goes on from here when it is given again.`;
  if (isRefusedForNow(error)) {
    return `Redis cannot take it at the moment (${messageOf(error)}); the same command goes on from here.`;
  }
  return undefined;
}

/** What ioredis says of a command that found no answer, or no connection any more. */
const GONE = /^(Command timed out|Connection is closed\.?|Socket timeout.*|Stream isn't writeable.*)$/;

function isRedisGone(error: unknown): boolean {
  return error instanceof Error && (GONE.test(error.message) || /^(ECONNRESET|EPIPE)/.test(codeOf(error)));
}

/** It reads its data, or cannot write: what is wrong is with Redis, and not with what it was asked. */
function isRefusedForNow(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !isOurMistake(error);
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Ends the process at what nobody caught. Node would print the error with all its properties, and one of Redis has the
 * arguments of the command: names and e-mail addresses.
 */
export function sayCrashes(terminal: FaultOutput): void {
  process.on('uncaughtException', (error) => {
    try {
      sayFault(error, terminal);
    } finally {
      // Also where it cannot be said: a fault in here would end the process with a status of Node's own.
      process.exit(FAULT_STATUS);
    }
  });
}
