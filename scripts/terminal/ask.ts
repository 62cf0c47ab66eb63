import { createInterface } from 'node:readline';

/** Whether a person can be asked: standard input and standard error are both a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** For a question that Ctrl-C ends with the whole command: nothing was done by then. */
export const NEVER: AbortSignal = new AbortController().signal;

/** Only these mean yes: whatever else was typed, perhaps for another program, sends nothing. */
const YES = /^\s*(y|yes)\s*$/i;

/** Asks a question that is answered by yes or no, see {@link askLine}: whatever is not a yes is a no. */
export async function askYesOrNo(question: string, signal: AbortSignal): Promise<boolean> {
  return YES.test((await askLine(question, signal)) ?? '');
}

/**
 * Asks a question on standard error that is answered by a line of standard input; by nothing where there is none (the end of
 * input), or at the signal, at which the question is given up.
 *
 * The terminal is left as it is, so that Ctrl-C comes as the signal that it is everywhere else, and nothing has to be
 * put right when the process is killed meanwhile.
 */
export function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, terminal: false });
    const end = (answer?: string): void => {
      // First of all: what is closed below says so, and that would be no answer.
      resolve(answer);
      signal.removeEventListener('abort', giveUp);
      lines.close();
      // A terminal that was read keeps the process.
      process.stdin.unref();
    };
    const giveUp = (): void => {
      process.stderr.write('\n');
      end();
    };
    lines.once('line', (line) => end(line));
    lines.once('close', () => end());
    // A terminal that goes away in the middle answers nothing.
    process.stdin.once('error', () => end());
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    process.stderr.write(question);
  });
}
