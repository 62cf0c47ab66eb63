import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { maskUserInfo, messageOf } from './errors.ts';
import { makeLineWriter } from './line-writer.ts';

export type Log = Logger;

/** pino's own level names, plus the one that turns it off. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The process's log: JSON lines on standard error, since standard output belongs to what a command was asked for; on a
 * terminal the same in words and colours. Times are ISO 8601 in UTC, levels are named.
 * Object first, sentence second: `log.info({ row, status }, 'limit granted')`.
 * Every line names the account that the process works for.
 * Whatever is called a secret, token or authorization is censored, however deep the caller put it. Of an error under
 * `err` no more is written than {@link errorFacts}, and no address shows a user or password. Callers give ids, counts
 * and sentences, and never a cell, a document's name or a body.
 */
export function makeLog({ level, account }: { level: LogLevel; account?: string | undefined }): Log {
  return pino(
    {
      ...WITHOUT_PRIVATE,
      level,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      base: { pid: process.pid, ...(account === undefined ? {} : { account }) },
      redact: {
        paths: [
          'authorization',
          '*.authorization',
          'token',
          '*.token',
          'clientSecret',
          '*.clientSecret',
          'client_secret',
        ],
        censor: '[secret]',
      },
    },
    standardError(),
  );
}

/** Whatever becomes of the output ends nothing, see {@link makeLineWriter}. */
function standardError(): DestinationStream {
  const write = makeLineWriter(2);
  const pretty = isatty(2) ? makePretty() : (line: string) => line;
  return { write: (line) => write(pretty(line)) };
}

/** Loaded where it is needed alone: it takes as long as all the rest of the log. */
function makePretty(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return prettyFactory(ON_TERMINAL);
}

/** One line each, by the clock on the wall: who sits at a terminal knows the day, the process and the account. */
const ON_TERMINAL = { colorize: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,account' };

/** A person who watches has read it; an outage is met again every few seconds. */
const SAY_AGAIN_MS = 60_000;

/**
 * The log of a command that a person watches: warnings and worse, one sentence each, instead of JSON lines, and the same
 * sentence once a minute. A person who wants all asks for it by LOG_LEVEL=debug, and gets JSON.
 */
export function makeWordsLog({ level, account }: { level: LogLevel; account?: string | undefined }): Log {
  if (level === 'debug' || level === 'trace') return makeLog({ level, account });
  const saidAtMs = new Map<string, number>();
  const write = (line: string): void => {
    const { msg, reason, err } = JSON.parse(line) as { msg: string; reason?: string; err?: { message?: string } };
    const why = reason ?? err?.message;
    const sentence = `limitline: ${msg}${why === undefined ? '' : ` (${why})`}\n`;
    const now = performance.now();
    for (const [one, atMs] of saidAtMs) if (now - atMs >= SAY_AGAIN_MS) saidAtMs.delete(one);
    if (saidAtMs.has(sentence)) return;
    saidAtMs.set(sentence, now);
    process.stderr.write(sentence);
  };
  return pino({ ...WITHOUT_PRIVATE, level: level === 'info' ? 'warn' : level, base: null }, { write });
}

/** A log that says nothing: for tests and for commands that only print their answer. */
export function makeSilentLog(): Log {
  return pino({ level: 'silent' });
}

/** What a log may say of an error. */
type ErrorFacts = { type: string; code?: string; message: string; stack: string; cause?: ErrorFacts };

/**
 * An error for the log: what it is, and where it happened. Its other properties stay out, since libraries hang data on
 * errors: ioredis the arguments of the command, and so names and e-mail addresses; undici the bytes that it could not read.
 */
export function errorFacts(error: unknown): ErrorFacts {
  return factsOf(error, MAX_CAUSES);
}

/** As deep as causes are of use; one of them may be its own cause. */
const MAX_CAUSES = 3;

function factsOf(error: unknown, causesLeft: number): ErrorFacts {
  const message = messageOf(error);
  if (!(error instanceof Error)) return { type: typeof error, message, stack: '' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message,
    stack: framesOf(error),
    ...(error.cause === undefined || causesLeft === 0 ? {} : { cause: factsOf(error.cause, causesLeft - 1) }),
  };
}

/** Where in our code it happened, without the message that a stack begins with. */
function framesOf({ stack = '', message }: Error): string {
  const place = stack.indexOf(message);
  const frames = place === -1 ? stack : stack.slice(place + message.length);
  return frames
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

const WITHOUT_PRIVATE = {
  serializers: { err: errorFacts },
  hooks: { streamWrite: maskUserInfo },
} satisfies LoggerOptions;
