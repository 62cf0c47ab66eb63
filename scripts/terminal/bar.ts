import { fitted, widthOf } from './width.ts';

/** For terminals that report no width. */
const USUAL_COLUMNS = 80;

type Bar = {
  draw(text: string): void;
  /** Removes the line for good. */
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
