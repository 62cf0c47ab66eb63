import { statSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import type { StoreLooks } from '../../src/documents/store.ts';
import { isLimitlineError, LimitlineError } from '../../src/errors.ts';
import { fileFault, sha256Of, writeDraft } from '../../src/files/disk.ts';
import { isOutputGone } from '../../src/line-writer.ts';
import { vocabularyOf } from '../../src/portfolio/columns/header-doubts.ts';
import { NEEDED, plainName } from '../../src/portfolio/columns/known-columns.ts';
import { readHeader } from '../../src/portfolio/columns/read-header.ts';
import { ACCOUNT_COLUMN, isErrorsHeader, namesAccount } from '../../src/portfolio/columns/result-columns.ts';
import { openTable } from '../../src/table/open-table.ts';
import { nextRecord, type Table } from '../../src/table/table.ts';
import { STANDARD_OUTPUT } from '../process/crash.ts';
import type { Terminal } from '../terminal/terminal.ts';

/**
 * Checks whether an answer can be written, before any work is done.
 *
 * @param out the file; undefined for standard output
 * @throws LimitlineError `USAGE` for a binary answer to a terminal, `FILE` where the folder does not exist
 */
export function checkOutput(out: string | undefined, { isBinary }: { isBinary: boolean }): void {
  if (out === undefined) {
    if (!isBinary || !process.stdout.isTTY) return;
    throw new LimitlineError('USAGE', 'A workbook cannot be shown on a terminal: name a file with --out FILE.xlsx.');
  }
  const folder = dirname(resolve(out));
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return;
  throw new LimitlineError('FILE', `${out} cannot be written: there is no folder ${folder}; make it, or name another.`);
}

/**
 * Writes an answer. A file is replaced when the new one is complete: after a fault, such as a full disk, the old file is unchanged.
 *
 * @param how.mode permissions of the file; by default those of the existing file, or the user's default
 * @throws LimitlineError `FILE`
 */
export async function writeOutput(
  out: string | undefined,
  write: (to: Writable) => Promise<void>,
  how: { mode?: number } = {},
): Promise<void> {
  if (out === undefined) return writeToReader(process.stdout, STANDARD_OUTPUT, write);
  // Where `out` is a link, the file to which it leads is replaced.
  const path = await realpath(out).catch(() => resolve(out));
  const found = statSync(path, { throwIfNoEntry: false });
  if (found && !found.isFile()) return writeThrough(out, write);
  const draft = await writeDraft({
    dir: dirname(path),
    name: basename(path),
    ...(found ? { mode: found.mode & 0o777 } : {}),
    ...how,
    write,
  });
  try {
    await draft.putInPlace(path, true);
  } finally {
    await draft.drop();
  }
}

/** With `--json`, names the file that was written: whoever parses standard output finds JSON there in any case. */
export function nameWritten(out: string | undefined, { json, print }: Pick<Terminal, 'json' | 'print'>): void {
  if (out !== undefined && json) print('', { out });
}

/**
 * Writes to a reader that may close early, as `head` does: then writing ends, and nothing is thrown. For other errors of the output, a
 * LimitlineError is thrown. Errors of `write` itself, such as of Redis, are thrown as they are, even if their codes are those of outputs.
 */
async function writeToReader(to: Writable, name: string, write: (to: Writable) => Promise<void>): Promise<void> {
  let fault: NodeJS.ErrnoException | undefined;
  to.once('error', (error) => {
    fault = error;
  });
  try {
    await write(to);
  } catch (error) {
    if (fault === undefined) throw error;
    if (!isOutputGone(fault)) throw fileFault(name, 'written', fault);
  }
}

/** Writes to a pipe or device, which cannot be replaced. */
async function writeThrough(path: string, write: (to: Writable) => Promise<void>): Promise<void> {
  const handle = await open(path, 'w').catch((error) => {
    throw fileFault(path, 'written', error);
  });
  await writeToReader(handle.createWriteStream(), path, write);
}

/**
 * Checks that an answer overwrites no work of people: a file that was imported, a list of buyers, or a file in which somebody has filled in
 * what became of rows. An errors file may be overwritten: a corrected one was imported, and the next one often has its name.
 *
 * @param storedFiles the copies of all imported files. An import that is known by its digest needs no copy here.
 * @throws LimitlineError `USAGE` where the file is one of these
 */
export async function checkOverwritable(
  out: string | undefined,
  { storedFiles }: { storedFiles: Pick<StoreLooks, 'has'> },
  imports: readonly { id: string }[] = [],
): Promise<void> {
  if (out === undefined) return;
  const path = resolve(out);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  const digest = await sha256Of(path);
  const isImported = imports.some(({ id }) => id === digest) || (await storedFiles.has(digest));
  const what = await workOfPeople(path, isImported);
  if (what === undefined) return;
  const message = `${out} ${what}, and this command would overwrite it: name another file with --out.`;
  throw new LimitlineError('USAGE', message);
}

async function workOfPeople(path: string, isImported: boolean): Promise<string | undefined> {
  const imported = isImported ? 'is a file that was imported' : undefined;
  const table = await openTable({ path, vocabulary: vocabularyOf() }).catch((error) => {
    if (!isLimitlineError(error)) throw error;
  });
  if (!table) return imported;
  try {
    const cells = table.header?.cells ?? [];
    if (isErrorsHeader(cells)) return undefined;
    if (imported) return imported;
    if (isListOfBuyers(table)) return 'is a list of buyers';
    return (await isFilledIn(table)) ? 'has answers that somebody filled in' : undefined;
  } finally {
    await table.close();
  }
}

/** Whether the header names what a list needs. A file that names its account was written by Limitline. */
function isListOfBuyers({ header, dialect }: Table): boolean {
  if (!header || namesAccount(header.cells)) return false;
  const { columns } = readHeader(header, { needed: NEEDED, delimiter: dialect.delimiter });
  return NEEDED.every((name) => columns.some(({ known, guess }) => (known ?? guess) === name));
}

/** The columns that people fill in. In a file of Limitline they come last, and a column of this name before them is the team's own. */
const FILLED_IN = ['id', 'decided_at'];

async function isFilledIn(table: Table): Promise<boolean> {
  const names = (table.header?.cells ?? []).map((cell) => plainName(cell));
  const namesRows = ['row', 'line', 'buyer_limit_id'].some((name) => names.includes(name));
  const last = Math.max(...FILLED_IN.map((name) => names.lastIndexOf(name)));
  if (!namesRows || last < 0 || last < names.lastIndexOf(ACCOUNT_COLUMN)) return false;
  for (let record = await nextRecord(table); record; record = await nextRecord(table))
    if (record.cells[last]?.trim()) return true;
  return false;
}
