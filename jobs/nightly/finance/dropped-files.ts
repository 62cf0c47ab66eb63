import { lstat, readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ANY_DOCUMENT } from '../../../src/documents/any-document.ts';
import { openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import { REJECTED, TAKEN, TIME } from '../../inbox/dropped-names.ts';
import type { DayFile } from './days-files.ts';

/** In ms. A younger file may still be written or taken. Nobody takes older ones. */
const UNTAKEN_AFTER_MS = 3_600_000;

/** Files that Limitline writes beside a file of buyers. */
const BESIDE = /\.(?:problems|results)\.csv$/i;

/** A dropped file of buyers, by its ending. Hidden and temporary files are left out. */
const DROPPED_NAME = /^(?![.~]).+\.(?:csv|xlsx)$/i;

/**
 * Files that the drop folder rejected since `sinceMs`, files that have been there long because no process takes them, and files
 * taken long ago that cannot be imported, for example because the disk is full. Follows no links. Answers nothing if there is
 * no readable drop folder: the import of dropped files reports that.
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

/** When a file was taken, from its name; -Infinity for other names. */
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

/** Files that are being imported: `.taken/ACCOUNT/ID/file.csv`, with the name that they get at the end. */
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
