import { createHash } from 'node:crypto';
import { makeLuaBytesScript, type RedisConnection } from '../../lua-script.ts';
import { portfolioKeys } from '../comparison/portfolio-keys.ts';
import type { Keys } from '../schema/keys.ts';
import { ROW_STATES, type RowState } from '../schema/row.ts';
import { archivePlaces } from './archive-steps.ts';

/** Whole lines, each ended by a line feed. `count` is their number, or 0 if it is unknown. */
export type LinesPage = { text: Buffer; count: number };

/** Rows for one command: a millisecond of Redis's time. */
const PAGE = 50;

/** A command stops after this many bytes, because rows with long answers of the service are long. */
const PAGE_BYTES = 256 * 1024;

/** The same for other keys: entries of a sorted set of a million take Redis four times as long as the same bytes of rows. */
const KEYS_BYTES = 48 * 1024;

/** Keys of rows that are listed at a time. */
const LISTED = 1_000;

/** Commands that are sent ahead of the writing, so that neither waits for the other. */
const AHEAD = 3;

/** Reads a portfolio as lines of its archive, and compares such lines with what is in Redis. */
export function makeArchivePages({ connection, keys }: { connection: RedisConnection; keys: Keys }) {
  const ask = makeLuaBytesScript(connection, new URL('../lua/archive-pages.lua', import.meta.url));

  /** Compares digests first, which needs only the heads of the lines: `texts` texts of each. */
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

  /** The pieces of these keys. The next one is requested while one is in use. */
  async function* keysPages(name: string, type: string, group: readonly string[]): AsyncGenerator<LinesPage> {
    const read = (at: number, place: string) => {
      const asked = { question: 'keys', told: [type, at, place, KEYS_BYTES] };
      const page = ask({ ...archivePlaces(keys, name), others: group }, asked);
      // It may fail before anybody awaits it.
      page.catch(() => {});
      return page as Promise<[Buffer, number, Buffer]>;
    };
    for (let next: Promise<[Buffer, number, Buffer]> | undefined = read(1, '0'); next; ) {
      const [text, at, place]: [Buffer, number, Buffer] = await next;
      next = at > 0 ? read(at, String(place)) : undefined;
      if (text.length > 0) yield { text, count: 0 };
    }
  }

  /** The keys of the rows in a state, by line, one page at a time. Pages go by position, because nobody moves the rows. */
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
    /** All rows of a portfolio that nobody changes: one line each, with its hash and its story. */
    rows: (name: string): AsyncGenerator<LinesPage> => readAhead(rowPages(name)),

    /** All other keys of the portfolio, piece by piece. */
    rest,

    /** Whether these lines, which `rows` gave, are what is in Redis now. */
    areRows: (name: string, lines: readonly Buffer[]): Promise<boolean> => isSame('rows', name, lines, 1),

    /** The same for lines of `rest`. */
    areKeys: (name: string, lines: readonly Buffer[]): Promise<boolean> => isSame('keys', name, lines, 3),
  };
}

/** The name of the key that a line of `rest` belongs to. */
export function nameInLine(line: Buffer): string {
  return headOf(line, 1)[0] ?? '';
}

/** The SHA-1 of whole lines, as Redis computes it. */
function digestOf(lines: readonly Buffer[]): string {
  const digest = createHash('sha1');
  for (const line of lines) digest.update(line).update('\n');
  return digest.digest('hex');
}

/** The first texts of a line: a JSON array of texts. */
function headOf(line: Buffer, count: number): string[] {
  let end = 0;
  for (let found = 0; found < count; found += 1) {
    end = line.indexOf('"', end + 1);
    // Finds the closing quotation mark. Only a name that a person gave may contain an escaped one.
    do end = line.indexOf('"', end + 1);
    while (isEscaped(line, end));
  }
  return JSON.parse(`${line.toString('utf8', 0, end + 1)}]`) as string[];
}

/** Whether an odd number of backslashes stands before this place. */
function isEscaped(line: Buffer, at: number): boolean {
  let before = at;
  while (line[before - 1] === 0x5c) before -= 1;
  return (at - before) % 2 === 1;
}

/** Requests some pages ahead of the one in use. They come in their order. */
async function* readAhead(pages: AsyncGenerator<() => Promise<LinesPage>>): AsyncGenerator<LinesPage> {
  const asked: Promise<LinesPage>[] = [];
  for await (const read of pages) {
    const page = read();
    // It may fail before anybody awaits it.
    page.catch(() => {});
    asked.push(page);
    if (asked.length > AHEAD) yield (await asked.shift()) as LinesPage;
  }
  for (const page of asked) yield await page;
}
