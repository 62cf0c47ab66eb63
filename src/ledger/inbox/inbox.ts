import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { underLease } from '../schema/lease.ts';
import { scanned } from '../schema/redis-reads.ts';

/** The files taken from drop folders, and their outcomes. Every write may be repeated. */
export type Inbox = {
  /** Runs work on a folder in one process at a time, see {@link underLease}; undefined while another process works on it. */
  alone<T>(folder: string, processId: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Writes the record of a file. The records of the newest 10,000 files are kept, see {@link KEPT}. */
  note(file: TakenFile): Promise<void>;
  read(id: string): Promise<TakenFile | undefined>;
  /** Deletes the record of a file that was not taken after all. */
  forget(id: string): Promise<void>;
  /** Deletes the record of a file, the note of its content, and the state of notices about it. */
  erase(file: TakenFile): Promise<void>;
  /** All kept files of a portfolio, in pages; one may come twice. */
  ofPortfolio(portfolio: string): AsyncIterable<TakenFile[]>;
  /** The file with which this content was first imported, if it was. */
  imported(content: string): Promise<TakenFile | undefined>;
  /** The files taken last, the newest first. */
  lately(count: number): Promise<TakenFile[]>;
  /** Imported files whose results are still to be written. */
  open(): Promise<TakenFile[]>;
};

/**
 * The number of file records that are kept: nightly files of 27 years, some 5 MB. A file whose record is deleted may be imported again, but
 * no limit is requested twice by that.
 */
const KEPT = 10_000;

/** Records of files read with one command, half a kilobyte each: little of Redis' time. */
const READ_AT_ONCE = 200;

/** @param kept how many files are kept */
export function makeInbox(given: { connection: RedisConnection; keys: Keys; kept?: number }): Inbox {
  const { connection, keys, kept = KEPT } = given;
  const noteTaken = makeLuaScript(connection, new URL('../lua/note-taken.lua', import.meta.url));
  const files = { files: keys.inboxFiles, contents: keys.inboxContents };
  const lists = { ...files, lately: keys.inboxLately, open: keys.inboxOpen };

  async function readAll(ids: readonly string[]): Promise<TakenFile[]> {
    if (ids.length === 0) return [];
    const found = await connection.hmget(keys.inboxFiles, ...ids);
    return found.flatMap((text) => (text === null ? [] : [JSON.parse(text) as TakenFile]));
  }

  async function read(id: string): Promise<TakenFile | undefined> {
    return (await readAll([id]))[0];
  }

  async function forget(id: string): Promise<void> {
    await connection.multi().hdel(keys.inboxFiles, id).zrem(keys.inboxLately, id).srem(keys.inboxOpen, id).exec();
  }

  return {
    read,
    alone(folder, processId, work) {
      const right = { connection, key: keys.inboxTaken(folder), processId, what: 'the drop folder' };
      return underLease(right, (_holder, lost) => work(lost));
    },
    async note(file) {
      const content = file.is === 'imported' ? (file.content ?? '') : '';
      const isOpen = file.is === 'imported' && file.results === undefined ? 1 : 0;
      await noteTaken(lists, { id: file.id, file: JSON.stringify(file), atMs: file.atMs, content, isOpen, kept });
    },
    forget,
    async erase({ id, folder, name, content = '' }) {
      if ((await connection.hget(keys.inboxContents, content)) === id) {
        await connection.hdel(keys.inboxContents, content);
      }
      await connection.hdel(keys.noticeStates, `inbox ${folder} ${name}`);
      await forget(id);
    },
    async *ofPortfolio(portfolio) {
      for await (const found of scanned((at) => connection.hscan(keys.inboxFiles, at, 'COUNT', READ_AT_ONCE))) {
        const files = found.filter((_text, at) => at % 2 === 1).map((text) => JSON.parse(text) as TakenFile);
        yield files.filter((file) => file.portfolio === portfolio);
      }
    },
    async imported(content) {
      const id = await connection.hget(keys.inboxContents, content);
      return id === null ? undefined : read(id);
    },
    lately: async (count) => readAll(await connection.zrange(keys.inboxLately, '0', String(count - 1), 'REV')),
    open: async () => readAll(await connection.smembers(keys.inboxOpen)),
  };
}

/** Whether decisions of the service were taken in from the file. */
export function isDecided({ is, portfolio }: Pick<TakenFile, 'is' | 'portfolio'>): boolean {
  return is === 'imported' && portfolio === '';
}

/** Whether a later one of these files was imported into the file's portfolio, so that its errors file may be out of date. */
export function hasFollower({ portfolio, atMs }: Pick<TakenFile, 'portfolio' | 'atMs'>, files: readonly TakenFile[]) {
  return files.some((one) => one.is === 'imported' && one.portfolio === portfolio && one.atMs > atMs);
}

/**
 * A file that was taken from a drop folder. `taken`: its import is under way, or was not possible yet; `imported`; `again`: the same
 * content was imported before, so nothing was done; `rejected`: it cannot be imported as it is.
 */
export type TakenFile = {
  /** The name that the file has in the folder `done` or `rejected`, without ending: a time and its own name. */
  id: string;
  /** The drop folder's own name, the same on every machine. */
  folder: string;
  /** The file's name, made safe for display. */
  name: string;
  /** Names of the documents, and of the supplier's file, beside the file when it was taken. */
  documents: readonly string[];
  /** The identity and version of each supplier's file beside this file, by name. A record of an older version of Limitline has none. */
  suppliers?: Readonly<Record<string, string>>;
  /** Name of the portfolio; `""` if the file's name gives none, or the file has decisions, which are for all portfolios ({@link isDecided}). */
  portfolio: string;
  /** When the portfolio had been given up last as the file was taken, in ms; 0 if never. An older version of Limitline noted nothing. */
  givenUpMs?: number | undefined;
  atMs: number;
  is: 'taken' | 'imported' | 'again' | 'rejected';
  /** What became of the file, or why nothing happened yet, in a sentence. */
  words: string;
  /** Owners of the file, the documents and the reading instructions, the file's first; undefined until the file was read. */
  by?: readonly string[];
  /** How the file is read, as JSON; undefined until it was read. */
  reading?: string;
  /** Digest of the file, its documents and how it is read; undefined until the file was read. */
  content?: string;
  /** Digest and size of the imported bytes; `version`: size and time of change, by which the file on disk is known to be unchanged. */
  seen?: { sha256: string; bytes: number; version: string };
  /**
   * Counts of an imported file. In a file of decisions, `rows` are the rows that say something else now, and `invalid` the decisions that
   * were not taken or have a warning. In a file of buyers, `warnings` are those in its list of problems. `gone` are the faulty lines of the
   * file before it, which report and results no longer name.
   */
  found?: { lines: number; rows: number; invalid: number; duplicate: number; warnings?: number; gone?: number };
  /** Name of the results file in `done`; `""` if it could not be written. */
  results?: string;
  /** Name of the errors file in `done`, if lines need correction. */
  errors?: string;
};
