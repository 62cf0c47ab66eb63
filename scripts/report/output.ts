import { statSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { LimitlineError } from '../../src/errors.ts';
import { writeDraft } from '../../src/files/draft.ts';
import { fileFault } from '../../src/files/file-fault.ts';
import { isOutputGone } from '../../src/line-writer.ts';
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
 * Writes an answer. A file is replaced when the new one is complete: after a fault, such as a full disk, the old file is
 * unchanged.
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
