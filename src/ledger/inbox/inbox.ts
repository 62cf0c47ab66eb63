import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../schema/keys.ts';
import { underLease } from '../schema/lease.ts';
import { scanned } from '../schema/redis-reads.ts';

/** Which files were taken from drop folders, and what became of each. Everything may be said twice. */
export type Inbox = {
  /** Does what one process at a time does with a folder, see {@link underLease}; answers nothing while another has it. */
  alone<T>(folder: string, processId: string, work: (lost: AbortSignal) => Promise<T>): Promise<T | undefined>;
  /** Writes down all that is known of a file. Of the newest 10,000, see {@link KEPT}. */
  note(file: TakenFile): Promise<void>;
  read(id: string): Promise<TakenFile | undefined>;
  /** Forgets a file that was not taken after all. */
  forget(id: string): Promise<void>;
  /** Forgets a file, that its content was imported by it, and what people were told of its name. */
  erase(file: TakenFile): Promise<void>;
  /** All files of a portfolio that are remembered, some at a time; one may come twice. */
  ofPortfolio(portfolio: string): AsyncIterable<TakenFile[]>;
  /** The file by which this content was imported first, if it was. */
  imported(content: string): Promise<TakenFile | undefined>;
  /** The newest first. */
  lately(count: number): Promise<TakenFile[]>;
  /** Those that were imported, and whose results are still to be written. */
  open(): Promise<TakenFile[]>;
};

/** Nightly files of 27 years: some 5 MB. What is forgotten would be imported again, where nothing is requested twice either. */
const KEPT = 10_000;

/** Records of half a kilobyte: little of Redis' time. */
const READ_AT_ONCE = 200;

/** @param kept how many files are remembered */
export function makeInbox({
  connection,
  keys,
  kept = KEPT,
}: {
  connection: RedisConnection;
  keys: Keys;
  kept?: number;
}): Inbox {
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
    async forget(id) {
      await connection.multi().hdel(keys.inboxFiles, id).zrem(keys.inboxLately, id).srem(keys.inboxOpen, id).exec();
    },
    async erase({ id, folder, name, content = '' }) {
      if ((await connection.hget(keys.inboxContents, content)) === id) {
        await connection.hdel(keys.inboxContents, content);
      }
      await connection.hdel(keys.noticeStates, `inbox ${folder} ${name}`);
      await connection.multi().hdel(keys.inboxFiles, id).zrem(keys.inboxLately, id).srem(keys.inboxOpen, id).exec();
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

/**
 * A file that was taken from a drop folder. `taken`: it is under way, or could not be brought in yet; `imported`; `again`: the same
 * was imported before, so nothing was done; `rejected`: it cannot be imported as it is.
 */
export type TakenFile = {
  /** What it is called in `done` or `rejected`, without an ending: a time and the file's name. */
  id: string;
  /** The drop folder's own name, by which it is known on every machine. */
  folder: string;
  /** What the file was called, fit to be shown. */
  name: string;
  /** What lay beside it when it was taken, by their names in the drop folder. */
  documents: readonly string[];
  /** `""` where its name gives none. */
  portfolio: string;
  atMs: number;
  is: 'taken' | 'imported' | 'again' | 'rejected';
  /** What became of it, or why nothing did yet, in a sentence. */
  words: string;
  /** Who put it and its documents there, the file's owner first, and who said how it is read; once it was looked at. */
  by?: readonly string[];
  /** How it is read, as JSON; once it was looked at. */
  reading?: string;
  /** Digest of the file, its documents and how it is read; once it was looked at. */
  content?: string;
  /** Digest and size of what was taken in, and by which size and time of change the file on the disk is known to be as it was last seen. */
  seen?: { sha256: string; bytes: number; version: string };
  /** Of a file that was imported. */
  found?: { lines: number; rows: number; invalid: number; duplicate: number };
  /** What its results are called in `done`; `""` where they could not be written. */
  results?: string;
};
