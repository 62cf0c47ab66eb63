import { type Logger, pino } from 'pino';

export type Log = Logger;

/** pino's own level names, plus the one that turns it off. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * The process's log: JSON lines on standard error, since standard output belongs to what a command was asked for.
 * Object first, sentence second: `log.info({ row, status }, 'limit granted')`.
 * Whatever is called a secret, token or authorization is censored, however deep the caller put it.
 */
export function makeLog({ level }: { level: LogLevel }): Log {
  return pino(
    {
      level,
      base: { pid: process.pid },
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

/** A log that says nothing: for tests and for commands that only print their answer. */
export function makeSilentLog(): Log {
  return pino({ level: 'silent' });
}
