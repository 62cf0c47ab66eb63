import { createInterface } from 'node:readline';

/** Whether a person can be asked: standard input and standard error are both a terminal. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Only these mean yes: whatever else was typed, perhaps for another program, sends nothing. */
const YES = /^\s*(y|yes)\s*$/i;

/**
 * Asks a question on standard error that is answered by a line of standard input. Whatever is not a yes is a no: another
 * line, none at all (the end of input), or the signal, at which the question is given up.
 *
 * The terminal is left as it is, so that Ctrl-C comes as the signal that it is everywhere else, and nothing has to be
 * put right when the process is killed meanwhile.
 */
export function askYesOrNo(question: string, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, terminal: false });
    const end = (answer: boolean): void => {
      // First of all: what is closed below says so, and that would be a no.
      resolve(answer);
      signal.removeEventListener('abort', giveUp);
      lines.close();
      // A terminal that was read keeps the process.
      process.stdin.unref();
    };
    const giveUp = (): void => {
      process.stderr.write('\n');
      end(false);
    };
    lines.once('line', (line) => end(YES.test(line)));
    lines.once('close', () => end(false));
    // A terminal that goes away in the middle answers nothing.
    process.stdin.once('error', () => end(false));
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    process.stderr.write(question);
  });
}
