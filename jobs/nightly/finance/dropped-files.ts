import { lstat, readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ANY_DOCUMENT } from '../../../src/documents/any-document.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import { REJECTED, TAKEN, TIME } from '../../inbox/dropped-names.ts';
import type { DayFile } from './days-files.ts';

/** A younger file may still be written, or be taken soon. An older one is reported. */
const UNTAKEN_AFTER_MS = 3_600_000;

/** Files that we leave beside a rejected or imported file; they do not list buyers. */
const BESIDE = /\.(?:problems|results)\.csv$/i;

/** A file of buyers in the drop folder: it has one of these endings, and its name is not a temporary one. */
const DROPPED_NAME = /^(?![.~]).+\.(?:csv|xlsx)$/i;

/**
 * Lists three kinds of files of the drop folder: files rejected since `sinceMs`; files that nobody took for a long time; and files that
 * were taken long ago but not imported, for example because the disk is full. Links are not followed. If there is no drop folder, or it
 * cannot be read, the list is empty: the task that takes files reports that.
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
    mended: new Set(),
    why,
    unread: { says: `${why}, and cannot be read as a list of buyers`, rows: 1 },
    open: (buyers) =>
      openPortfolio({ path, givenPath: fileName, requiredColumns: [], documents: ANY_DOCUMENT, buyers, signal }),
  });
  const rejected = (await regularFiles(join(inbox, REJECTED)))
    .filter(({ name }) => takenMs(name) >= sinceMs && !BESIDE.test(name))
    .map(({ path, name }) => fileAt(path, name, 'its file was rejected by the drop folder'));
  const lying = (await regularFiles(inbox))
    .filter(({ name, changedMs }) => DROPPED_NAME.test(name) && atMs - changedMs >= UNTAKEN_AFTER_MS)
    .map(({ path, name }) => fileAt(path, name, 'its file lies in the drop folder and was not taken'));
  const stuck = (await takenFiles(join(inbox, TAKEN)))
    .filter(({ name }) => atMs - takenMs(name) >= UNTAKEN_AFTER_MS)
    .map(({ path, name }) => fileAt(path, name, 'its file was taken from the drop folder and not brought in yet'));
  return [...rejected, ...lying, ...stuck];
}

/** When a file was taken, according to its name; minus infinity if its name has no such time. */
function takenMs(name: string): number {
  const [, ...parts] = TIME.test(name) ? (TIME_PARTS.exec(name) ?? []) : [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (second === undefined) return Number.NEGATIVE_INFINITY;
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

const TIME_PARTS = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/;

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

/** Files that were taken and are not finished: `.taken/ACCOUNT/ID/file.csv`. Each gets the name that it will have at the end. */
async function takenFiles(dir: string): Promise<Lying[]> {
  const found: Lying[] = [];
  for (const account of await readdir(dir).catch(() => [])) {
    for (const id of await readdir(join(dir, account)).catch(() => [])) {
      const own = await regularFiles(join(dir, account, id));
      const file = own.find(({ name }) => /^file\.(?:csv|xlsx)$/.test(name));
      if (file) found.push({ ...file, name: id + extname(file.name) });
    }
  }
  return found;
}
