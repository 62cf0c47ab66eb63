import { createHash } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { systemCode } from '../../src/files/file-fault.ts';
import { type DropFolder, removeEmpty } from './drop-folder.ts';
import { DONE, REJECTED, TAKEN, takenName } from './dropped-names.ts';
import { type Dropped, pathOf } from './look.ts';
import { moved, moveOver, statOf } from './move-over.ts';

/**
 * A file that was taken: a folder of its own in `.taken`, named by its id, with the file as `file.csv` or `file.xlsx`, its documents
 * as `documents` or `documents.zip`, and what is to be left beside it, such as `problems.csv`.
 */
export type Entry = {
  id: string;
  dir: string;
  /** Nothing where it is on its way to `done` or `rejected`, or did not come here at all. */
  file: string | undefined;
  documents: string | undefined;
};

/** What is left beside a file. */
export type BesideName = 'problems.csv' | 'problems.txt' | 'note.txt';
const BESIDE: readonly string[] = ['problems.csv', 'problems.txt', 'note.txt'] satisfies BesideName[];
const FILES: readonly string[] = ['file.csv', 'file.xlsx'];
const DOCUMENTS: readonly string[] = ['documents', 'documents.zip'];

export type TakenFolder = ReturnType<typeof makeTakenFolder>;

/**
 * What is done with files in a drop folder. Each of these may be done again, and a process may be killed between any two.
 *
 * @param account whose files are taken: what a process of another account left half done is not ours to go on with
 */
export function makeTakenFolder({ dir }: Pick<DropFolder, 'dir'>, account: string) {
  const takenDir = join(dir, TAKEN, createHash('sha256').update(account).digest('hex').slice(0, 16));
  const placeOf = (where: typeof DONE | typeof REJECTED) => join(dir, where);

  async function isFree(id: string): Promise<boolean> {
    const found = await Promise.all(
      [placeOf(DONE), placeOf(REJECTED)].flatMap((place) =>
        ['', '.csv', '.xlsx', '.zip'].map((ending) => statOf(join(place, id + ending))),
      ),
    );
    return found.every((one) => one === undefined);
  }

  return {
    /** The files that were taken and have not come to their end, the oldest first. */
    async entries(): Promise<Entry[]> {
      await mkdir(takenDir, { recursive: true, mode: 0o700 });
      const found = await readdir(takenDir, { withFileTypes: true });
      const ids = found.filter((one) => one.isDirectory()).map(({ name }) => name);
      return Promise.all(ids.sort().map((id) => this.entry(id)));
    },

    /** What is there of a file that was taken. */
    async entry(id: string): Promise<Entry> {
      const own = join(takenDir, id);
      const names = await readdir(own);
      const named = (wanted: readonly string[]) => {
        const name = names.find((one) => wanted.includes(one));
        return name === undefined ? undefined : join(own, name);
      };
      return { id, dir: own, file: named(FILES), documents: named(DOCUMENTS) };
    },

    /** Makes room for a file that is taken now, under a name that no other has. */
    async begin(name: string, atMs: number): Promise<string> {
      for (let number = 1; ; number += 1) {
        const id = takenName(name, atMs, number);
        if (!(await isFree(id))) continue;
        try {
          await mkdir(takenDir, { recursive: true, mode: 0o700 });
          await mkdir(join(takenDir, id), { mode: 0o700 });
          return id;
        } catch (error) {
          if (systemCode(error) !== 'EEXIST') throw error;
        }
      }
    },

    /** Takes the file itself: it has one name, and whoever moves it has it. Answers false where it is gone. */
    async takeFile(id: string, { raw, name }: Pick<Dropped, 'raw' | 'name'>): Promise<boolean> {
      const ending = extname(name).toLowerCase() === '.xlsx' ? '.xlsx' : '.csv';
      return moved(pathOf(dir, raw), join(takenDir, id, `file${ending}`));
    },

    /** Nothing was taken under this name after all. */
    drop: (id: string) => removeEmpty(join(takenDir, id)),

    /** The documents that lay beside it: a folder or a ZIP file, or both by mistake. */
    async takeDocuments(id: string, names: readonly string[]): Promise<void> {
      for (const name of names) {
        const found = await statOf(join(dir, name));
        const own = found?.isDirectory() ? 'documents' : 'documents.zip';
        if (found?.isDirectory() || found?.isFile()) await moved(join(dir, name), join(takenDir, id, own));
      }
    },

    /** Moves the file to where it ends, under its new name. */
    async putFile({ id, file }: Entry, where: typeof DONE | typeof REJECTED): Promise<void> {
      if (file !== undefined) await moveOver(file, join(placeOf(where), id + extname(file)));
    },

    /** The same with what is left beside it, and with its documents; then nothing is left of it here. */
    async putRest({ id, dir: own }: Entry, where: typeof DONE | typeof REJECTED): Promise<void> {
      for (const name of await readdir(own)) {
        const [from, place] = [join(own, name), placeOf(where)];
        if (BESIDE.includes(name)) await moveOver(from, join(place, `${id}.${name}`));
        else if (DOCUMENTS.includes(name)) await moveOver(from, join(place, id + extname(name)));
        // What else is there is a draft that a killed process left.
        else if (name.startsWith('.')) await rm(from, { force: true });
      }
      await removeEmpty(own);
    },

    /** Where the file of an entry without one is by now. */
    async whereIs(id: string): Promise<typeof DONE | typeof REJECTED | undefined> {
      for (const where of [DONE, REJECTED] as const) {
        const found = await Promise.all(FILES.map((name) => statOf(join(placeOf(where), id + extname(name)))));
        if (found.some((one) => one !== undefined)) return where;
      }
      return undefined;
    },
  };
}
