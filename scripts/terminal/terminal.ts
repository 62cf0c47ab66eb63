import type { Log } from '../../src/log.ts';

export type Terminal = ReturnType<typeof makeTerminal>;

/** The output of a command: the answer goes to standard output, as text or JSON, and everything else to standard error. */
export function makeTerminal({ json }: { json: boolean }) {
  let log: Log | undefined;
  return {
    json,
    /** Sends all messages to this log from now on. */
    sayTo(other: Log): void {
      log = other;
    },
    /** The log that gets the messages, if any. */
    log: (): Log | undefined => log,
    /** Prints the answer: `words`, or `value` with `--json`. */
    print(words: string, value: unknown): void {
      process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${words}\n`);
    },
    /** Prints a part of the answer as text. With `--json`, `print` gives the whole. */
    answer(words: string): void {
      if (!json) process.stdout.write(`${words}\n`);
    },
    /** Prints a message. On a terminal it replaces the progress bar, which is drawn again below it. */
    say(text: string): void {
      if (log) log.info(text.replace(/^limitline: /, ''));
      else process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${text}\n`);
    },
  };
}
