/** So long a file lies unchanged before it is taken: programs that write a table write within a second or two, or all at its end. */
export const SETTLE_MS = 5_000;

/** The same of a file that may not be whole: a text without a line break at its end. */
export const DOUBTFUL_MS = 60_000;

/** Remembers what was seen of files, and so knows which of them change no more. */
export type SettlingFiles = {
  /**
   * Tells how one looks now, and answers for how many ms it has still to stay so; 0 where it has settled.
   *
   * @param file which one, as the disk knows it: under another name it is the same
   * @param version what changes when it is written to
   */
  left(file: string, version: string, settleMs: number): number;
  /** Begins a look: what is not told of in it is forgotten with the next. */
  begin(): void;
};

/**
 * @param now a clock that is never put forward or back, in ms. What the disk says of when a file was written is only compared with
 *   itself, since it is another machine's clock
 */
export function makeSettling(now: () => number = () => performance.now()): SettlingFiles {
  let known = new Map<string, { version: string; sinceMs: number }>();
  let before = known;
  return {
    begin() {
      before = known;
      known = new Map();
    },
    left(file, version, settleMs) {
      const last = before.get(file);
      const sinceMs = last?.version === version ? last.sinceMs : now();
      known.set(file, { version, sinceMs });
      return Math.max(0, sinceMs + settleMs - now());
    },
  };
}
