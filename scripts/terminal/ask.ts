import { createInterface } from 'node:readline';

/** Whether a person can be asked: standard input and standard error are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** A signal for questions where Ctrl-C may end the whole command, because nothing was done yet. */
export const NEVER: AbortSignal = new AbortController().signal;

/** Only these answers mean yes. Anything else, perhaps typed for another program, sends nothing. */
const YES = /^\s*(y|yes)\s*$/i;

/** Asks a question with {@link askLine}. Any answer but a yes is a no. */
export async function askYesOrNo(question: string, signal: AbortSignal): Promise<boolean> {
  return YES.test((await askLine(question, signal)) ?? '');
}

/**
 * Asks a question on standard error and answers a line of standard input; nothing at the end of input or at the signal.
 *
 * Leaves the terminal's mode alone, so that Ctrl-C sends the usual signal and a killed process leaves nothing to restore.
 */
export function askLine(question: string, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: process.stdin, terminal: false });
    const end = (answer?: string): void => {
      // Resolved first, because closing below causes an event that would count as no answer.
      resolve(answer);
      signal.removeEventListener('abort', giveUp);
      lines.close();
      // A terminal that was read keeps the process alive.
      process.stdin.unref();
    };
    const giveUp = (): void => {
      process.stderr.write('\n');
      end();
    };
    lines.once('line', (line) => end(line));
    lines.once('close', () => end());
    // A terminal that disappears gives no answer.
    process.stdin.once('error', () => end());
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    process.stderr.write(question);
  });
}
