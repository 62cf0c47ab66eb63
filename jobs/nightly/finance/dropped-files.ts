import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { ANY_DOCUMENT } from '../../../src/documents/any-document.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import type { DayFile } from './days-files.ts';

/** A file that may still be being written, or is about to be taken; what lies there for longer, nobody takes. */
const UNTAKEN_AFTER_MS = 3_600_000;

/** What files end up as that were taken: `20261122T013000Z-q4.csv`; `20261122T013000Z.2-q4.csv` is the second of one second. */
const TAKEN_NAME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z(?:\.\d+)?-(.+)\.(?:csv|xlsx)$/i;

/** What is left beside a file, and is none of buyers. */
const BESIDE = /\.(?:problems|results)\.csv$/i;

/** A file of buyers that somebody dropped: by its ending, and not one that programs hide while they write it. */
const DROPPED_NAME = /^(?![.~]).+\.(?:csv|xlsx)$/i;

/**
 * The files that the drop folder rejected since a moment, and those that lie in it and are not taken: dropped for a long while, and
 * no process is there that would take them. Links are not followed. Nothing where there is no drop folder, or it cannot be read:
 * whoever takes files from it says that.
 */
export async function droppedFiles(
  inbox: string | undefined,
  { sinceMs, atMs, signal }: { sinceMs: number; atMs: number; signal: AbortSignal },
): Promise<DayFile[]> {
  if (inbox === undefined) return [];
  const fileAt = (path: string, fileName: string, why: string): DayFile => ({
    portfolio: '',
    fileName: visible(fileName),
    later: new Set(),
    why,
    unread: { says: `${why}, and cannot be read as a list of buyers`, rows: 1 },
    open: (buyers) =>
      openPortfolio({
        path,
        givenPath: fileName,
        requiredColumns: [],
        documents: ANY_DOCUMENT,
        buyers,
        signal,
      }),
  });
  const rejected = (await regularFiles(join(inbox, 'rejected')))
    .filter(({ name }) => takenMs(name) >= sinceMs && !BESIDE.test(name))
    .map(({ path, name }) => fileAt(path, name, 'its file was rejected by the drop folder'));
  const lying = (await regularFiles(inbox))
    .filter(({ name, changedMs }) => DROPPED_NAME.test(name) && atMs - changedMs >= UNTAKEN_AFTER_MS)
    .map(({ path, name }) => fileAt(path, name, 'its file lies in the drop folder and was not taken'));
  return [...rejected, ...lying];
}

/** When a file was taken, by its name; never for one that was not. */
function takenMs(name: string): number {
  const [, ...parts] = TAKEN_NAME.exec(name) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (second === undefined) return Number.NEGATIVE_INFINITY;
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

type Lying = { path: string; name: string; changedMs: number };

async function regularFiles(dir: string): Promise<Lying[]> {
  const names = await readdir(dir).catch(() => []);
  const found: Lying[] = [];
  for (const name of names.sort()) {
    if (!DROPPED_NAME.test(name)) continue;
    const path = join(dir, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) found.push({ path, name: basename(name), changedMs: Math.max(stats.mtimeMs, stats.ctimeMs) });
  }
  return found;
}
