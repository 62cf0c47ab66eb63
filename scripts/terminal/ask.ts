import { createInterface } from 'node:readline';

/** Whether a person can answer: both standard input and standard error are a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** A signal that never aborts, for questions where Ctrl-C may simply end the command. */
export const NEVER: AbortSignal = new AbortController().signal;

/** Only these answers mean yes. Anything else, perhaps typed for another program, means no, and nothing is sent. */
const YES = /^\s*(y|yes)\s*$/i;

/** Asks a question with yes or no as its answer, see {@link askLine}. Anything other than a yes is a no. */
export async function askYesOrNo(question: string, signal: AbortSignal): Promise<boolean> {
  return YES.test((await askLine(question, signal)) ?? '');
}

/**
 * Asks a question on standard error and returns a line of standard input. Returns undefined at the end of input, or when the signal aborts.
 *
 * The terminal's mode is not changed. So Ctrl-C stays a signal, and nothing must be reset if the process is killed.
 */
export function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, terminal: false });
    const end = (answer?: string): void => {
      // This comes first: closing the reader emits `close`, which would count as no answer.
      resolve(answer);
      signal.removeEventListener('abort', giveUp);
      lines.close();
      // Otherwise the terminal that was read would keep the process running.
      process.stdin.unref();
    };
    const giveUp = (): void => {
      process.stderr.write('\n');
      end();
    };
    lines.once('line', (line) => end(line));
    lines.once('close', () => end());
    // If the terminal disappears, there is no answer.
    process.stdin.once('error', () => end());
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    process.stderr.write(question);
  });
}
