import { makeLuaScript, type RedisConnection } from '../../lua-script.ts';
import type { Keys } from '../keys.ts';
import type { TakenFile } from './taken-file.ts';

/** Which files were taken from drop folders, and what became of each. Everything may be said twice. */
export type Inbox = {
  /** Asks for the right to take in what a folder holds, or to go on with it: false while another process has it. */
  hold(folder: string, processId: string): Promise<boolean>;
  /** Gives the right up, if it has it. */
  leave(folder: string, processId: string): Promise<void>;
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

/** A process that gave no sign for so long has vanished. It gives four of them in this time. */
export const HELD_MS = 8_000;
export const SIGN_EVERY_MS = 2_000;

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
  const script = (name: string) => makeLuaScript(connection, new URL(`../lua/${name}.lua`, import.meta.url));
  const [hold, noteTaken] = [script('hold-inbox'), script('note-taken')];
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
    hold: async (folder, processId) => (await hold([keys.inboxTaken(folder)], [processId, HELD_MS])) === 1,
    async leave(folder, processId) {
      await hold([keys.inboxTaken(folder)], [processId, 0]);
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
      let cursor = '0';
      do {
        const [next, found] = await connection.hscan(keys.inboxFiles, cursor, 'COUNT', READ_AT_ONCE);
        const files = found.filter((_text, at) => at % 2 === 1).map((text) => JSON.parse(text) as TakenFile);
        yield files.filter((file) => file.portfolio === portfolio);
        cursor = next;
      } while (cursor !== '0');
    },
    async imported(content) {
      const id = await connection.hget(keys.inboxContents, content);
      return id === null ? undefined : read(id);
    },
    lately: async (count) => readAll(await connection.zrange(keys.inboxLately, '0', String(count - 1), 'REV')),
    open: async () => readAll(await connection.smembers(keys.inboxOpen)),
  };
}
