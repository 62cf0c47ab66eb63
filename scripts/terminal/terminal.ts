import type { Log } from '../../src/log.ts';

export type Terminal = ReturnType<typeof makeTerminal>;

/**
 * The two streams of a command. Standard output carries what was asked for, in words or as JSON; everything said on the
 * way goes to standard error.
 */
export function makeTerminal({ json }: { json: boolean }) {
  let log: Log | undefined;
  return {
    json,
    /** From now on whatever is said is a line of this log. */
    sayTo(other: Log): void {
      log = other;
    },
    /** The log to which everything goes, if it does. */
    log: (): Log | undefined => log,
    /** Prints the answer: `words` for people, or `value` as JSON. */
    print(words: string, value: unknown): void {
      process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${words}\n`);
    },
    /** A part of the answer in words, as it is found; JSON says it in one piece at the end. */
    answer(words: string): void {
      if (!json) process.stdout.write(`${words}\n`);
    },
    /** On a terminal it goes where the progress stands, which is drawn again below it. */
    say(text: string): void {
      if (log) log.info(text.replace(/^limitline: /, ''));
      else process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${text}\n`);
    },
  };
}
