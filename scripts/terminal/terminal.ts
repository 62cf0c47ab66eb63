import { once } from 'node:events';
import type { Log } from '../../src/log.ts';

export type Terminal = ReturnType<typeof makeTerminal>;

/** The output of a command: the answer goes to standard output, as text or JSON, and everything else to standard error. */
export function makeTerminal({ json }: { json: boolean }) {
  let log: Log | undefined;
  let hasPrinted = false;
  let isLost = false;
  process.stdout.once('error', () => {
    isLost = true;
  });
  return {
    json,
    /** Whether the answer was printed. */
    hasPrinted: () => hasPrinted,
    /** Sends all messages to this log from now on. */
    sayTo(other: Log): void {
      log = other;
    },
    /** The log that gets the messages, if any. */
    log: (): Log | undefined => log,
    /** Prints the answer: `words`, or `value` with `--json`. */
    print(words: string, value: unknown): void {
      hasPrinted = true;
      process.stdout.write(`${inOneDirection(json ? JSON.stringify(value, null, 2) : words)}\n`);
    },
    /** Prints a part of the answer as text. With `--json`, `print` gives the whole. */
    answer(words: string): void {
      if (!json) process.stdout.write(`${inOneDirection(words)}\n`);
    },
    /** Resolves when standard output takes more, or never will: what a slow reader has not read yet is kept in memory. */
    async room(): Promise<void> {
      if (process.stdout.writableNeedDrain && !isLost) await once(process.stdout, 'drain').catch(() => {});
    },
    /** Prints a message. On a terminal it replaces the progress bar, which is drawn again below it. */
    say(said: string): void {
      const text = inOneDirection(said);
      if (log) log.info(text.replace(/^limitline: /, ''));
      else process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${text}\n`);
    },
  };
}

/** Marks and overrides of the reading direction, by which a text of the service or of a file could look like another one. */
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * The text with an escape such as `\u202e` in place of each character that changes the reading direction. JSON reads an escape as the
 * character itself.
 */
function inOneDirection(text: string): string {
  return text.replace(DIRECTIONS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
