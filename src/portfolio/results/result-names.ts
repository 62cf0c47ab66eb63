import { basename, join } from 'node:path';
import type { Names } from '../../files/left-files.ts';

/** What a run leaves: all lines, and those that want mending. */
export type LeftKind = 'results' | 'errors';

/**
 * `buyers.csv` leads to `buyers.results.csv`, and if that is somebody else's to `buyers.results-2.csv`. Any other ending stays
 * in the name, so that `buyers.csv` and `buyers.xlsx` in one folder do not share their results: `buyers.xlsx.results.csv`.
 *
 * @param stem see {@link stemOf}
 */
export function namesFor(kind: LeftKind, dir: string, stem: string): Names {
  return (number) => join(dir, `${stem}.${kind}${number === 1 ? '' : `-${number}`}.csv`);
}

/** What the results of a file are called after: its name without `.csv`. */
export function stemOf(path: string): string {
  return basename(path).replace(/\.csv$/i, '');
}

/** What an errors file of ours was called after: mended and run, its results are those of the file that it came of. */
export function stemOfErrors(path: string): string | undefined {
  return /^(.+)\.errors(?:-\d+)?\.csv$/.exec(basename(path))?.[1];
}
