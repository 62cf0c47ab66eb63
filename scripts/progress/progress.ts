import { openBar } from '../terminal/bar.ts';

/** How often the bar is redrawn on a terminal, and a line is written elsewhere. */
const REDRAW_EVERY_MS = 200;
const WRITE_EVERY_MS = 5_000;

/** Characters. Leaves room in 80 columns for the account and for what calls wait for. */
const BAR_WIDTH = 10;

/** Characters of an account's name: enough to recognise it. */
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
  const name = account.replace(/^https?:\/\//, '');
  const short = name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name;
  return { ...extent, words: `${short}: ${extent.words}` };
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
