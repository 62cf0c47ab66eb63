import { fitted, widthOf } from './width.ts';

/** A terminal that says of itself that it has no columns, as some do, has most likely these. */
const USUAL_COLUMNS = 80;

/** A line at the bottom of the terminal that changes in place. */
type Bar = {
  draw(text: string): void;
  /** Takes it away, for good. */
  end(): void;
};

/**
 * Puts a line at the bottom of the terminal. While it is there, whatever is written on the terminal by anybody, on standard
 * output or standard error, is written where the line was, and the line is gone until it is drawn again: text and line never
 * share one.
 */
export function openBar(): Bar {
  const { stderr, stdout } = process;
  let drawn = 0;

  /** The way back to where the line begins: a terminal that became narrower has broken it into several. */
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
      // The last column stays free: a sign in it makes some terminals begin a new line.
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

/** Has something done before each write to a stream, until the answer is called. */
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
