import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { LimitlineError } from '../../src/errors.ts';
import type { LineToMend, MendPages, Preview } from '../../src/portfolio/preview.ts';

/** As many as one mends in a browser; a file with more wrong lines than that has one thing wrong with all of them. */
const MOST_KEPT = 5_000;

/** As many as are looked at together. */
export const PAGE_LINES = 20;

/** Lines to look at, kept in a file: a page of them is read without the others. */
export type MendList = {
  add(line: LineToMend): Promise<void>;
  end(): Promise<MendPages>;
  /** Leaves it as it is, for good. */
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

/** The lines of one page, from 0; none behind the last. */
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

/** One of the lines, by its number. They are in the order of the file. */
async function findInMendList(path: string, found: MendPages, line: number): Promise<LineToMend | undefined> {
  const page = found.pages.findLastIndex((one) => one.line <= line);
  return (await readMendPage(path, found, page)).find((one) => one.line === line);
}

/** Files beside a draft's own, made anew with each preview. */
export const PROBLEMS_FILE = 'problems.ndjson';
export const WARNINGS_FILE = 'warnings.ndjson';

/** The line of a preview, whichever list it is in. @throws LimitlineError `USAGE` where it is in none */
export async function lineToMend(dir: string, { problems, warnings }: Preview, line: number): Promise<LineToMend> {
  const found =
    (await findInMendList(join(dir, PROBLEMS_FILE), problems, line)) ??
    (await findInMendList(join(dir, WARNINGS_FILE), warnings, line));
  if (found) return found;
  throw new LimitlineError('USAGE', `Line ${line} is not among the lines to mend: load the page again.`);
}
