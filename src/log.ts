import { createRequire } from 'node:module';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { maskUserInfo, messageOf } from './errors.ts';
import { makeLineWriter } from './line-writer.ts';

export type Log = Logger;

/** The names of pino's levels; `silent` turns the log off. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The process's log on standard error, since standard output belongs to a command's result: JSON lines, or coloured text on a terminal. Times
 * are ISO 8601 in UTC, levels are named. Every line names the account of the process. The object comes first, the sentence second:
 * `log.info({ row, status }, 'limit granted')`.
 * Secrets, tokens and authorization headers are censored. An error under `err` is reduced to {@link errorFacts}, and URLs lose user and
 * password. Callers pass ids, counts and sentences, and never a cell, a document's name or a body.
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

/** Output errors never end the process, see {@link makeLineWriter}. */
function standardError(): DestinationStream {
  const write = makeLineWriter(2);
  const pretty = isatty(2) ? makePretty() : (line: string) => line;
  return { write: (line) => write(pretty(line)) };
}

/** Makes the writer for a terminal. pino-pretty is loaded only here, since it takes as long to load as the rest of the log. */
function makePretty(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  return prettyFactory(ON_TERMINAL);
}

/** How lines look on a terminal: in local time, without date, process and account, which are obvious there. */
const ON_TERMINAL = { colorize: true, singleLine: true, translateTime: 'SYS:HH:MM:ss', ignore: 'pid,account' };

/** Interval before an equal sentence is shown again: an outage causes it every few seconds. */
const SAY_AGAIN_MS = 60_000;

/**
 * The log of a command that a person watches: warnings and errors as sentences instead of JSON lines, each at most once a minute.
 * LOG_LEVEL=debug shows everything as JSON.
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

/** A log without output, for tests. */
export function makeSilentLog(): Log {
  return pino({ level: 'silent' });
}

/** The parts of an error that a log may contain. */
type ErrorFacts = { type: string; code?: string; message: string; stack: string; cause?: ErrorFacts };

/**
 * An error for the log: what it is, and where it happened. Other properties are left out, since libraries attach data to errors: ioredis
 * the arguments of the command, such as names and e-mail addresses; undici the bytes that it could not parse.
 */
export function errorFacts(error: unknown): ErrorFacts {
  return factsOf(error, MAX_CAUSES);
}

/** Most causes in a chain, which may be circular. */
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

/** The frames of a stack, without the message in front. */
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
