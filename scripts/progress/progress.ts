import { cutText } from '../../src/cut-text.ts';
import { fitted, widthOf } from '../terminal/width.ts';

/** The bar on a terminal is redrawn once in this time. */
const REDRAW_EVERY_MS = 200;
/** Where the output is no terminal, a line is written once in this time. */
const WRITE_EVERY_MS = 5_000;

/** The width of a progress bar in characters: it leaves room in 80 columns for the account and for what calls wait for. */
const BAR_WIDTH = 10;

/** The most characters of an account's name beside the bar: enough to recognise it. */
const NAME_WIDTH = 24;

export type Progress = ReturnType<typeof startProgress>;

/** The progress of something; `total` is unknown while a file is being read. */
export type Extent = { done: number; total: number | undefined; words: string };

/**
 * Shows progress on standard error until stopped: on a terminal a bar, elsewhere a line at intervals if something changed.
 * Messages replace the bar, so it is redrawn each time.
 */
export function startProgress(extent: () => Extent) {
  const bar = process.stderr.isTTY ? openBar() : undefined;
  let shown = '';
  const show = (): void => {
    const text = describe(extent(), bar !== undefined);
    if (bar) bar.draw(text);
    else if (text !== shown) process.stderr.write(`${text}\n`);
    shown = text;
  };
  const timer = setInterval(show, bar ? REDRAW_EVERY_MS : WRITE_EVERY_MS);
  timer.unref();
  let stopped = false;
  return {
    stop(): void {
      clearInterval(timer);
      if (!stopped) bar?.end();
      stopped = true;
    },
  };
}

/** Adds the account's name: its address without the scheme. */
export function ofAccount(account: string, extent: Extent): Extent {
  const name = cutText(account.replace(/^https?:\/\//, ''), NAME_WIDTH);
  return { ...extent, words: `${name}: ${extent.words}` };
}

function describe({ done, total, words }: Extent, bar: boolean): string {
  if (!bar || total === undefined) return words;
  const filled = total === 0 ? BAR_WIDTH : Math.round((done / total) * BAR_WIDTH);
  return `[${'█'.repeat(filled)}${'·'.repeat(BAR_WIDTH - filled)}] ${words}`;
}

/** Shows the progress of work that reports its steps. */
export async function withProgress<Step extends { rows: number; total: number }, T>(
  first: Step,
  wordsOf: (step: Step) => string,
  work: (onProgress: (now: Step) => void) => Promise<T>,
): Promise<T> {
  let last = first;
  const progress = startProgress(() => ({ done: last.rows, total: last.total, words: wordsOf(last) }));
  try {
    return await work((now) => {
      last = now;
    });
  } finally {
    progress.stop();
  }
}

/** The width assumed for terminals that report none. */
const USUAL_COLUMNS = 80;

type Bar = {
  draw(text: string): void;
  /** Removes the bar's line for good. */
  end(): void;
};

/**
 * Opens a line at the bottom of the terminal that changes in place. Any other output to standard output or standard error first
 * erases the line, until it is drawn again. So text and line never share a row.
 */
export function openBar(): Bar {
  const { stderr, stdout } = process;
  let drawn = 0;

  /** Moves to the beginning of the line and erases it. A narrower terminal may have broken it into several rows. */
  const erasure = (): string => {
    const rows = Math.ceil(drawn / (stderr.columns || USUAL_COLUMNS));
    return drawn === 0 ? '' : `\r${'\x1b[1A'.repeat(Math.max(rows - 1, 0))}\x1b[J`;
  };
  const write = stderr.write.bind(stderr);
  const erase = (): void => {
    const away = erasure();
    drawn = 0;
    if (away !== '') write(away);
  };
  const streams = stdout.isTTY ? [stderr, stdout] : [stderr];
  const restore = streams.map((stream) => eraseBefore(stream, erase));

  return {
    draw(text) {
      // Leaves the last column free: some terminals begin a new row after it.
      const shown = fitted(text, (stderr.columns || USUAL_COLUMNS) - 1);
      const away = drawn === 0 ? '\r\x1b[2K' : erasure();
      drawn = widthOf(shown);
      write(`${away}${shown}`);
    },
    end() {
      for (const one of restore) one();
      erase();
    },
  };
}

/** Calls `erase` before each write to a stream, until the returned function is called. */
function eraseBefore(stream: NodeJS.WriteStream, erase: () => void): () => void {
  const own = Object.getOwnPropertyDescriptor(stream, 'write');
  const write = stream.write;
  Object.defineProperty(stream, 'write', {
    configurable: true,
    value(...args: Parameters<typeof write>) {
      erase();
      return write.apply(stream, args);
    },
  });
  return () => {
    if (own) Object.defineProperty(stream, 'write', own);
    else Reflect.deleteProperty(stream, 'write');
  };
}
