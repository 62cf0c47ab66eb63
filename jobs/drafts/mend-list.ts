import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import { readBytes } from '../../src/files/text.ts';
import type { LineToMend, MendPages, MendPlace, Preview } from '../../src/portfolio/preview.ts';
import { MEND_PAGE_LINES } from '../../src/portfolio/preview.ts';

/** The most faulty lines that are kept: more than anybody corrects in a browser. A file with more faulty lines has one common fault. */
const MOST_KEPT = 5_000;

/** A list of lines to correct, stored in a file so that each of its pages can be read by itself. */
export function makeMendList(path: string) {
  const found: MendPages = { lines: 0, kept: 0, pages: [], causes: [] };
  const causes = new Map<string | null, number>();
  let to: WriteStream | undefined;
  let at = 0;
  return {
    async add(line: LineToMend): Promise<void> {
      found.lines += 1;
      if (found.kept >= MOST_KEPT) return;
      if (found.kept % MEND_PAGE_LINES === 0) found.pages.push({ line: line.line, at });
      found.kept += 1;
      for (const column of columnsOf(line)) causes.set(column, (causes.get(column) ?? 0) + 1);
      const text = `${JSON.stringify(line)}\n`;
      at += Buffer.byteLength(text);
      to ??= createWriteStream(path, { mode: 0o600 });
      if (!to.write(text)) await once(to, 'drain');
    },
    async end(): Promise<MendPages> {
      if (to) {
        const ended = once(to, 'close');
        to.end();
        await ended;
      }
      found.causes = [...causes].map(([column, lines]) => ({ column, lines })).sort((a, b) => b.lines - a.lines);
      return found;
    },
    /** Stops writing and closes the file, without completing it. */
    drop: (): void => void to?.destroy(),
  };
}

/** The columns in which something is wrong with a line, each once. */
function columnsOf({ problems, warnings }: LineToMend): Set<string | null> {
  return new Set([...problems, ...warnings].map(({ column }) => column));
}

/** The lines of one page; none after the last page. */
export async function readMendPage(
  path: string,
  found: MendPages,
  { page, column }: Omit<MendPlace, 'list'>,
): Promise<LineToMend[]> {
  if (column === undefined) return readPage(path, found, page);
  const first = page * MEND_PAGE_LINES;
  const lines: LineToMend[] = [];
  for await (const line of mendLinesOf(path, found, column)) {
    lines.push(line);
    if (lines.length === first + MEND_PAGE_LINES) break;
  }
  return lines.slice(first);
}

/**
 * The kept lines with a problem or warning in this column, in file order. One page of lines is in memory at a time, since lines may be
 * long.
 */
export async function* mendLinesOf(path: string, found: MendPages, column: string | null): AsyncGenerator<LineToMend> {
  for (const page of found.pages.keys()) {
    for (const line of await readPage(path, found, page)) if (columnsOf(line).has(column)) yield line;
  }
}

async function readPage(path: string, { pages }: MendPages, page: number): Promise<LineToMend[]> {
  const from = pages[page]?.at;
  if (from === undefined) return [];
  const bytes = await readBytes(path, from, pages[page + 1]?.at);
  const lines = bytes.toString().split('\n').slice(0, -1);
  return lines.map((text): LineToMend => JSON.parse(text));
}

/** Finds the kept line with this number. Lines are in file order. */
async function findInMendList(path: string, found: MendPages, line: number): Promise<LineToMend | undefined> {
  const page = found.pages.findLastIndex((one) => one.line <= line);
  return (await readMendPage(path, found, { page })).find((one) => one.line === line);
}

/** The names of the files with lines to correct, in a draft's folder. They are written with each preview. */
export const PROBLEMS_FILE = 'problems.ndjson';
export const WARNINGS_FILE = 'warnings.ndjson';

export const listFile = (list: MendPlace['list']): string => (list === 'problems' ? PROBLEMS_FILE : WARNINGS_FILE);

/** Finds a line by its number, among those with problems and those with warnings. @throws LimitlineError `USAGE` where it is in none */
export async function lineToMend(dir: string, { problems, warnings }: Preview, line: number): Promise<LineToMend> {
  const found =
    (await findInMendList(join(dir, PROBLEMS_FILE), problems, line)) ??
    (await findInMendList(join(dir, WARNINGS_FILE), warnings, line));
  if (found) return found;
  throw new LimitlineError('USAGE', `Line ${line} is not among those with problems or warnings: load the page again.`);
}
