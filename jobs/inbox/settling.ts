/** How long a file must be unchanged before it is taken. Programs that write tables pause for a second or two at most. */
export const SETTLE_MS = 5_000;

/** How long a file must be unchanged that may be incomplete: a text without a final line break. */
export const DOUBTFUL_MS = 60_000;

/** Remembers versions of files, to know which have settled. */
export type SettlingFiles = {
  /**
   * Reports a file's version, and answers for how many more ms it must stay the same; 0 where it has settled.
   *
   * @param file its identity on the disk, independent of its name
   * @param version changes when the file is written to
   */
  left(file: string, version: string, settleMs: number): number;
  /** Begins a pass. A file that is not reported in a pass is forgotten in the next. */
  begin(): void;
};

/** @param now a monotonic clock in ms. Times of files come from another host's clock and are only compared with each other */
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
