import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileFault, systemCode } from '../../src/files/disk.ts';
import type { TakenFile } from '../../src/ledger/inbox/inbox.ts';
import { isAdvice } from '../../src/portfolio/lines/advice.ts';
import { type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { type Dialect, PLAIN_DIALECT } from '../../src/table/dialect.ts';
import { encodeTable, makeTableLine, resultsDialect } from '../../src/table/write-table.ts';
import { type DropFolder, moved, moveOver, removeEmpty, statOf } from './drop-folder.ts';
import { DONE, ofSupplier, REJECTED, TAKEN, takenName } from './dropped-names.ts';
import { type Dropped, pathOf, stampAt } from './look.ts';

/**
 * A file that was taken: a folder in `.taken` named by the id. It has the file as `file.csv` or `file.xlsx`, its documents as
 * `documents` or `documents.zip`, its supplier's file, and files to leave beside it, such as `problems.csv`.
 */
export type Entry = {
  id: string;
  dir: string;
  /** The path of the file; undefined where it has moved on to `done` or `rejected`, or was never taken. */
  file: string | undefined;
  documents: string | undefined;
  supplier: string | undefined;
};

/** The names of the files that an import leaves for people with a finished file. */
type BesideName = 'problems.csv' | 'problems.txt' | 'note.txt';
const BESIDE: readonly string[] = ['problems.csv', 'problems.txt', 'note.txt'] satisfies BesideName[];
const SUPPLIERS: readonly string[] = ['supplier.csv', 'supplier.xlsx'];
const FILES: readonly string[] = ['file.csv', 'file.xlsx'];
const DOCUMENTS: readonly string[] = ['documents', 'documents.zip'];

export type TakenFolder = ReturnType<typeof makeTakenFolder>;

/**
 * Operations on taken files. Each may be repeated, and a process may die between any two.
 *
 * @param account whose files are taken: another account's unfinished files are not ours to continue
 */
export function makeTakenFolder({ dir }: Pick<DropFolder, 'dir'>, account: string) {
  const takenDir = join(dir, TAKEN, createHash('sha256').update(account).digest('hex').slice(0, 16));
  const placeOf = (where: typeof DONE | typeof REJECTED) => join(dir, where);

  async function isFree(id: string): Promise<boolean> {
    const found = await Promise.all(
      [placeOf(DONE), placeOf(REJECTED)].flatMap((place) =>
        ['', '.csv', '.xlsx', '.zip', '.supplier.csv', '.supplier.xlsx'].map((ending) =>
          statOf(join(place, id + ending)),
        ),
      ),
    );
    return found.every((one) => one === undefined);
  }

  return {
    /** The unfinished files, oldest first. */
    async entries(): Promise<Entry[]> {
      await mkdir(takenDir, { recursive: true, mode: 0o700 });
      const found = await readdir(takenDir, { withFileTypes: true });
      const ids = found.filter((one) => one.isDirectory()).map(({ name }) => name);
      return Promise.all(ids.sort().map((id) => this.entry(id)));
    },

    async entry(id: string): Promise<Entry> {
      const own = join(takenDir, id);
      const names = await readdir(own);
      const named = (wanted: readonly string[]) => {
        const name = names.find((one) => wanted.includes(one));
        return name === undefined ? undefined : join(own, name);
      };
      return { id, dir: own, file: named(FILES), documents: named(DOCUMENTS), supplier: named(SUPPLIERS) };
    },

    /** Makes the folder for a file, with a new id. */
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

    /** Takes the file by renaming it. Only one process succeeds. Answers false if the file is gone. */
    async takeFile(id: string, { raw, name }: Pick<Dropped, 'raw' | 'name'>): Promise<boolean> {
      const ending = extname(name).toLowerCase() === '.xlsx' ? '.xlsx' : '.csv';
      return moved(pathOf(dir, raw), join(takenDir, id, `file${ending}`));
    },

    /** Removes the taken file's folder again, if it is empty because nothing was taken. */
    drop: (id: string) => removeEmpty(join(takenDir, id)),

    /**
     * Takes what lay beside the file: its documents (a folder or a ZIP file, or both by mistake), and its supplier's file. What an earlier
     * attempt took is not replaced, since the drop folder may have another file of that name by now. A supplier's file that was changed since
     * it was seen is not taken.
     */
    async takeBeside(
      id: string,
      { documents: names, suppliers = {} }: Pick<TakenFile, 'documents' | 'suppliers'>,
    ): Promise<void> {
      for (const name of names) {
        const found = await statOf(join(dir, name));
        const isSupplier = ofSupplier(name) !== undefined;
        const own = isSupplier
          ? `supplier${extname(name).toLowerCase()}`
          : found?.isDirectory()
            ? 'documents'
            : 'documents.zip';
        const seen = suppliers[name];
        if (seen !== undefined && seen !== (await stampAt(join(dir, name)))) continue;
        if (!(isSupplier || found?.isDirectory() || found?.isFile())) continue;
        if (!(await statOf(join(takenDir, id, own)))) await moved(join(dir, name), join(takenDir, id, own));
      }
    },

    /** Moves the file to its final folder, under its new name. */
    async putFile({ id, file }: Entry, where: typeof DONE | typeof REJECTED): Promise<void> {
      if (file !== undefined) await moveOver(file, join(placeOf(where), id + extname(file)));
    },

    /**
     * Moves the documents and the files that were left for people to the folder into which the file went, and removes the file's folder in
     * `.taken`.
     */
    async putRest({ id, dir: own }: Entry, where: typeof DONE | typeof REJECTED): Promise<void> {
      for (const name of await readdir(own)) {
        const [from, place] = [join(own, name), placeOf(where)];
        if (BESIDE.includes(name) || SUPPLIERS.includes(name)) await moveOver(from, join(place, `${id}.${name}`));
        else if (DOCUMENTS.includes(name)) await moveOver(from, join(place, id + extname(name)));
        // Files whose name begins with a dot are drafts of killed processes.
        else if (name.startsWith('.')) await rm(from, { force: true });
      }
      await removeEmpty(own);
    },

    /** The final folder that has the file, if it was moved there already. */
    async whereIs(id: string): Promise<typeof DONE | typeof REJECTED | undefined> {
      for (const where of [DONE, REJECTED] as const) {
        const found = await Promise.all(FILES.map((name) => statOf(join(placeOf(where), id + extname(name)))));
        if (found.some((one) => one !== undefined)) return where;
      }
      return undefined;
    },
  };
}

/**
 * Writes problems as they are found, into a CSV in the form of the imported file. Without problems there is no file.
 *
 * @param mode its permissions; it contains cells of the imported file
 */
export async function makeProblemsFile(path: string, mode: number) {
  // Removes what an import left that was killed.
  await rm(path, { force: true });
  let dialect: Dialect = PLAIN_DIALECT;
  let open: { table: PassThrough; lineOf: ReturnType<typeof makeTableLine>; written: Promise<void> } | undefined;

  function begin() {
    const [table, lineOf] = [new PassThrough(), makeTableLine(dialect)];
    const to = createWriteStream(path, { flags: 'wx', mode: (mode & 0o666) | 0o600, flush: true });
    const written = pipeline(table, (texts: AsyncIterable<Buffer>) => encodeTable(texts, dialect), to);
    // The error is thrown by `end`; without this it would count as unhandled.
    written.catch(() => {});
    table.write(lineOf(HEADER));
    return { table, lineOf, written };
  }

  return {
    /** Sets the imported file's dialect, in which the problems are written. */
    like(input: Dialect): void {
      dialect = resultsDialect(input, 'cells');
    },
    add(problems: readonly Problem[]): void {
      if (problems.length > 0) open ??= begin();
      for (const { line, column, value, message } of problems) {
        const cells = [line === WHOLE_FILE ? '' : line, column ?? '', value ?? '', message];
        open?.table.write(open.lineOf(cells));
      }
    },
    /** Adds the warnings, except those that nearly every file has. Returns how many of them are worth a notice: advice is not. */
    addWarnings(warnings: readonly Problem[]): number {
      const toList = warnings.filter(isToList);
      this.add(toList.map((warning) => ({ ...warning, message: `Warning: ${warning.message}` })));
      return toList.filter(({ message }) => !isAdvice(message)).length;
    },
    /** @throws LimitlineError `FILE` where it could not be written */
    async end(): Promise<void> {
      open?.table.end();
      await open?.written.catch((error) => {
        throw fileFault(path, 'written', error);
      });
    },
  };
}

/** Whether a warning is written into the file. Advice about the whole file is not, since nearly every file gets it. */
const isToList = ({ line, column }: Problem) => line !== WHOLE_FILE || column === null;

const HEADER = ['line', 'column', 'value', 'problem'];
