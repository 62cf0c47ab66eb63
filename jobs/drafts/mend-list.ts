import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import type { LineToMend, MendPages, Preview } from '../../src/portfolio/preview.ts';

/** The lines that are kept: more than anybody corrects in a browser. A file with more faulty lines has one common fault. */
const MOST_KEPT = 5_000;

/** Lines of one page. */
const PAGE_LINES = 20;

/** Lines to correct, stored in a file so that a page can be read by itself. */
type MendList = {
  add(line: LineToMend): Promise<void>;
  end(): Promise<MendPages>;
  /** Abandons the file. */
  drop(): void;
};

export function makeMendList(path: string): MendList {
  const found: MendPages = { lines: 0, kept: 0, pages: [] };
  let to: WriteStream | undefined;
  let at = 0;
  return {
    async add(line) {
      found.lines += 1;
      if (found.kept >= MOST_KEPT) return;
      if (found.kept % PAGE_LINES === 0) found.pages.push({ line: line.line, at });
      found.kept += 1;
      const text = `${JSON.stringify(line)}\n`;
      at += Buffer.byteLength(text);
      to ??= createWriteStream(path, { mode: 0o600 });
      if (!to.write(text)) await once(to, 'drain');
    },
    async end() {
      if (to) {
        const ended = once(to, 'close');
        to.end();
        await ended;
      }
      return found;
    },
    drop: () => void to?.destroy(),
  };
}

/** The lines of one page, from 0; none after the last page. */
export async function readMendPage(path: string, { pages }: MendPages, page: number): Promise<LineToMend[]> {
  const from = pages[page]?.at;
  if (from === undefined) return [];
  const handle = await open(path, 'r');
  try {
    const to = pages[page + 1]?.at ?? (await handle.stat()).size;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    const lines = buffer.subarray(0, bytesRead).toString().split('\n').slice(0, -1);
    return lines.map((text): LineToMend => JSON.parse(text));
  } finally {
    await handle.close();
  }
}

/** One of the lines, by its number. Lines are in file order. */
async function findInMendList(path: string, found: MendPages, line: number): Promise<LineToMend | undefined> {
  const page = found.pages.findLastIndex((one) => one.line <= line);
  return (await readMendPage(path, found, page)).find((one) => one.line === line);
}

/** Files in a draft's folder, written with each preview. */
export const PROBLEMS_FILE = 'problems.ndjson';
export const WARNINGS_FILE = 'warnings.ndjson';

/** A line from either list. @throws LimitlineError `USAGE` where it is in none */
export async function lineToMend(dir: string, { problems, warnings }: Preview, line: number): Promise<LineToMend> {
  const found =
    (await findInMendList(join(dir, PROBLEMS_FILE), problems, line)) ??
    (await findInMendList(join(dir, WARNINGS_FILE), warnings, line));
  if (found) return found;
  throw new LimitlineError('USAGE', `Line ${line} is not among the lines to mend: load the page again.`);
}
