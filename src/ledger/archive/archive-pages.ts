import { createHash } from 'node:crypto';
import { makeLuaBytesScript } from '../../lua-script.ts';
import { portfolioKeys } from '../comparison/sweeps.ts';
import type { LedgerPlace } from '../schema/keys.ts';
import { ROW_STATES, type RowState } from '../schema/row.ts';
import { archivePlaces } from './archive-steps.ts';

/** Whole lines of an archive file, each with a line feed. `count`: the number of rows in them, 0 for lines of other keys. */
export type LinesPage = { text: Buffer; count: number };

/** Rows read with one command: a millisecond of Redis' time. */
const PAGE = 50;

/** Bytes of lines after which the script reads no further rows, since some have long responses. */
const PAGE_BYTES = 256 * 1024;

/** Bytes of lines per script for keys other than rows. A sorted set with a million members takes Redis four times as long as rows. */
const KEYS_BYTES = 48 * 1024;

/** The number of row keys that one command lists. */
const LISTED = 1_000;

/** The most pages that are asked of Redis ahead of the page that is written, so that reading and writing overlap. */
const AHEAD = 3;

/** Reads a portfolio as lines of its archive, and compares such lines with Redis. */
export function makeArchivePages({ connection, keys }: LedgerPlace) {
  const ask = makeLuaBytesScript(connection, new URL('../lua/archive-pages.lua', import.meta.url));

  /**
   * Whether archived lines match Redis. The digests are compared first, and whole lines only if these differ. For the digest, Redis needs
   * only the first `texts` texts of each line, which name the key to read.
   */
  async function isSame(of: 'rows' | 'keys', name: string, lines: readonly Buffer[], texts: number): Promise<boolean> {
    const heads = lines.flatMap((line) => headOf(line, texts));
    if (String(await ask(archivePlaces(keys, name), { question: `digest of ${of}`, told: heads })) === digestOf(lines))
      return true;
    return Number(await ask(archivePlaces(keys, name), { question: `same ${of}`, told: lines })) === 1;
  }

  async function rowsPage(name: string, rowKeys: readonly string[]): Promise<LinesPage> {
    const texts: Buffer[] = [];
    for (let at = 0; at < rowKeys.length; ) {
      const asked = await ask(archivePlaces(keys, name), {
        question: 'rows',
        told: [PAGE_BYTES, ...rowKeys.slice(at)],
      });
      const [read, text] = asked as [number, Buffer];
      texts.push(text);
      at += read;
    }
    return { text: Buffer.concat(texts), count: rowKeys.length };
  }

  /** The contents of these keys as lines, in pieces. The next piece is read while the caller works on the present one. */
  async function* keysPages(name: string, type: string, group: readonly string[]): AsyncGenerator<LinesPage> {
    const read = (at: number, place: string) => {
      const asked = { question: 'keys', told: [type, at, place, KEYS_BYTES] };
      const page = ask({ ...archivePlaces(keys, name), others: group }, asked);
      // A rejection before the caller awaits the page would count as unhandled, and end the process.
      page.catch(() => {});
      return page as Promise<[Buffer, number, Buffer]>;
    };
    for (let next: Promise<[Buffer, number, Buffer]> | undefined = read(1, '0'); next; ) {
      const [text, at, place]: [Buffer, number, Buffer] = await next;
      next = at > 0 ? read(at, String(place)) : undefined;
      if (text.length > 0) yield { text, count: 0 };
    }
  }

  /** The keys of the rows in a state, in the order of lines, in pages. Pages go by position, since no row of the portfolio moves. */
  async function* rowKeys(name: string, state: RowState): AsyncGenerator<string[]> {
    for (let from = 0; ; from += LISTED) {
      const found = await connection.zrange(keys.rowsInState(name, state), String(from), String(from + LISTED - 1));
      for (let at = 0; at < found.length; at += PAGE) yield found.slice(at, at + PAGE);
      if (found.length < LISTED) return;
    }
  }

  async function* rowPages(name: string): AsyncGenerator<() => Promise<LinesPage>> {
    for (const state of ROW_STATES) for await (const page of rowKeys(name, state)) yield () => rowsPage(name, page);
  }

  async function* rest(name: string): AsyncGenerator<LinesPage> {
    for await (const { type, keys: group } of portfolioKeys({ name, connection, keys })) {
      yield* keysPages(name, type, group);
    }
  }

  return {
    /** All rows of an unchanging portfolio, a line each, with hash and history. */
    rows: (name: string): AsyncGenerator<LinesPage> => readAhead(rowPages(name)),

    /** All keys of the portfolio except its rows and their histories, as lines, in pieces. */
    rest,

    /** Whether these lines of `rows` match Redis now. */
    areRows: (name: string, lines: readonly Buffer[]): Promise<boolean> => isSame('rows', name, lines, 1),

    /** Whether these lines of `rest` match Redis now. */
    areKeys: (name: string, lines: readonly Buffer[]): Promise<boolean> => isSame('keys', name, lines, 3),
  };
}

/** The archive's name of the key in a line of `rest`. */
export function nameInLine(line: Buffer): string {
  return headOf(line, 1)[0] ?? '';
}

/** SHA-1 of whole lines, as Redis computes it. */
function digestOf(lines: readonly Buffer[]): string {
  const digest = createHash('sha1');
  for (const line of lines) digest.update(line).update('\n');
  return digest.digest('hex');
}

/** The first texts of a line, which is a JSON array of texts. */
function headOf(line: Buffer, count: number): string[] {
  let end = 0;
  for (let found = 0; found < count; found += 1) {
    end = line.indexOf('"', end + 1);
    // Finds the closing quotation mark; only a name that a person gave can contain an escaped one.
    do end = line.indexOf('"', end + 1);
    while (isEscaped(line, end));
  }
  return JSON.parse(`${line.toString('utf8', 0, end + 1)}]`) as string[];
}

/** Whether the number of backslashes before this position is odd. */
function isEscaped(line: Buffer, at: number): boolean {
  let before = at;
  while (line[before - 1] === 0x5c) before -= 1;
  return (at - before) % 2 === 1;
}

/** Reads some pages ahead; they come in order. */
async function* readAhead(pages: AsyncGenerator<() => Promise<LinesPage>>): AsyncGenerator<LinesPage> {
  const asked: Promise<LinesPage>[] = [];
  for await (const read of pages) {
    const page = read();
    // A rejection before the caller awaits the page would count as unhandled, and end the process.
    page.catch(() => {});
    asked.push(page);
    if (asked.length > AHEAD) yield (await asked.shift()) as LinesPage;
  }
  for (const page of asked) yield await page;
}
