import { type Logger, pino } from 'pino';

export type Log = Logger;

/** pino's own level names, plus the one that turns it off. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The process's log: JSON lines on standard error, since standard output belongs to what a command was asked for.
 * Object first, sentence second: `log.info({ row, status }, 'limit granted')`.
 * Every line names the account that the process works for.
 * Whatever is called a secret, token or authorization is censored, however deep the caller put it.
 */
export function makeLog({ level, account }: { level: LogLevel; account?: string | undefined }): Log {
  return pino(
    {
      level,
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
    pino.destination({ dest: 2, sync: true }),
  );
}

/**
 * The log of a command that a person watches: warnings and worse, one sentence each, instead of JSON lines. A person who
 * wants all asks for it by LOG_LEVEL=debug, and gets JSON.
 */
export function makeWordsLog({ level, account }: { level: LogLevel; account?: string | undefined }): Log {
  if (level === 'debug' || level === 'trace') return makeLog({ level, account });
  const write = (line: string): void => {
    const { msg, reason, err } = JSON.parse(line) as { msg: string; reason?: string; err?: { message?: string } };
    const why = reason ?? err?.message;
    process.stderr.write(`limitline: ${msg}${why === undefined ? '' : ` (${why})`}\n`);
  };
  return pino({ level: level === 'info' ? 'warn' : level, base: null }, { write });
}

/** A log that says nothing: for tests and for commands that only print their answer. */
export function makeSilentLog(): Log {
  return pino({ level: 'silent' });
}
