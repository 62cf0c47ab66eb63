import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import type { Context } from '../../src/context.ts';
import { counted } from '../../src/counted.ts';
import { countLiving } from '../../src/ledger/calls/fleet.ts';
import { openRows } from '../../src/ledger/portfolios/summary.ts';
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
      process.stdout.write(`${harmlessThere(json ? JSON.stringify(value, null, 2) : words)}\n`);
    },
    /** Prints a part of the answer as text. With `--json`, `print` gives the whole. */
    answer(words: string): void {
      if (!json) process.stdout.write(`${harmlessThere(words)}\n`);
    },
    /** Resolves when standard output takes more, or never will: what a slow reader has not read yet is kept in memory. */
    async room(): Promise<void> {
      if (process.stdout.writableNeedDrain && !isLost) await once(process.stdout, 'drain').catch(() => {});
    },
    /** Prints a message. On a terminal it replaces the progress bar, which is drawn again below it. */
    say(said: string): void {
      const text = harmlessThere(said);
      if (log) log.info(text.replace(/^limitline: /, ''));
      else process.stderr.write(`${process.stderr.isTTY ? '\r\x1b[2K' : ''}${text}\n`);
    },
  };
}

/**
 * Control characters but tab and line feed, and marks and overrides of the reading direction: a text of the service or the name of a file
 * could command the terminal by them, or look like another one.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const COMMANDS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with an escape such as `\u202e` in place of each such character. JSON reads an escape as the character itself. */
function harmlessThere(text: string): string {
  return text.replace(COMMANDS, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Whether a person can be asked: standard input and standard error are terminals. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** A signal for questions where Ctrl-C may end the whole command, because nothing was done yet. */
export const NEVER: AbortSignal = new AbortController().signal;

/** The answers that mean yes. Anything else, perhaps typed for another program, is a no. */
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
      // Without this, a terminal that was read would keep the process alive.
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

/** The most characters of a typed secret: more than any allowed password has. */
const LONGEST = 1_000;

const [CTRL_C, CTRL_D, BACKSPACE, DELETE, CTRL_U] = ['\u0003', '\u0004', '\b', '\u007f', '\u0015'];

/**
 * Asks for a secret on standard error, without showing what is typed. Answers nothing on Ctrl-C, Ctrl-D or the end of input.
 * Only where `canAsk()`. Always restores the terminal.
 */
export function askSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  const wasRaw = stdin.isRaw;
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve) => {
    let typed: string[] = [];
    const end = (answer: string | undefined): void => {
      stdin.off('data', hear);
      stdin.off('end', giveUp);
      stdin.setRawMode(wasRaw);
      stdin.pause();
      stdin.unref();
      stderr.write('\n');
      resolve(answer);
    };
    const giveUp = (): void => end(undefined);
    const hear = (bytes: Buffer): void => {
      const signs = [...decoder.write(bytes)];
      for (const [place, sign] of signs.entries()) {
        if (sign === CTRL_C || sign === CTRL_D) {
          giveUp();
          return;
        }
        if (sign === '\r' || sign === '\n') {
          end(typed.join(''));
          // The rest of pasted lines answers the next question.
          const rest = signs.slice(place + 1).join('');
          if (rest !== '') stdin.unshift(Buffer.from(rest));
          return;
        }
        if (sign === BACKSPACE || sign === DELETE) typed.pop();
        else if (sign === CTRL_U) typed = [];
        else if (typed.length < LONGEST) typed.push(sign);
      }
    };
    // The echo ends before the question is shown, so that the terminal does not show what somebody types at once.
    stdin.setRawMode(true);
    stdin.ref();
    stdin.on('data', hear);
    stdin.once('end', giveUp);
    stdin.resume();
    stderr.write(question);
  });
}

/** The lines of standard input, to its end; undefined where it has more than so many bytes. */
export async function linesOfInput(mostBytes: number): Promise<string[] | undefined> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of process.stdin) {
    pieces.push(Buffer.from(piece));
    sizeBytes += piece.length;
    if (sizeBytes > mostBytes) return undefined;
  }
  return Buffer.concat(pieces).toString('utf8').split(/\r?\n/);
}

/**
 * A sentence about when rows that were queued again are sent, for which workers must run and the portfolio must not be paused; and the
 * number of worker processes.
 *
 * @param who the subject of the sentence, if it is not about rows
 */
export async function goingOn(
  rows: number,
  portfolio: string,
  { ledger, keys, portfolios }: Pick<Context, 'ledger' | 'keys' | 'portfolios'>,
  who = rows === 0 ? undefined : `${counted(rows, 'row')} ${rows === 1 ? 'goes' : 'go'} on`,
): Promise<{ goes: string; workers: number }> {
  const [workers, { paused }] = await Promise.all([
    countLiving({ connection: ledger, keys }),
    portfolios.read(portfolio),
  ]);
  const running = workers === 1 ? '1 worker process runs' : `${workers} worker processes run`;
  if (who === undefined) return { goes: 'no row goes on.', workers };
  if (paused) return { goes: `${who} once somebody resumes the portfolio, which is paused.`, workers };
  if (workers > 0) return { goes: `${who}; ${running}.`, workers };
  return { goes: `${who} as soon as workers run; none runs now: start one with npx limitline work.`, workers };
}

/** A sentence that no worker process runs while rows of a portfolio could be sent; undefined where one runs, or nothing is to be sent. */
export async function noWorkerWords(
  portfolio: string,
  { ledger, keys, portfolios }: Pick<Context, 'ledger' | 'keys' | 'portfolios'>,
): Promise<string | undefined> {
  const [workers, state] = await Promise.all([countLiving({ connection: ledger, keys }), portfolios.read(portfolio)]);
  if (workers > 0 || state.paused !== undefined || openRows(state) === 0) return undefined;
  return `No worker runs, so nothing of portfolio "${portfolio}" is sent: start one with npx limitline work, or run its file: npx limitline run FILE --portfolio "${portfolio}"`;
}
