import { statSync } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { LimitlineError } from '../../src/errors.ts';
import { writeDraft } from '../../src/files/draft.ts';
import { fileFault } from '../../src/files/file-fault.ts';
import { isOutputGone } from '../../src/line-writer.ts';
import { STANDARD_OUTPUT } from '../process/output-faults.ts';

/**
 * Looks whether an answer can go where it is to go, before anything is done for it.
 *
 * @param out the file, or nothing for standard output
 * @throws LimitlineError `USAGE` for what is no text and would go to a terminal, `FILE` where there is no such folder
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
 * Hands over where an answer is to be written. A file gets its name when it is whole: a fault on the way, such as a full
 * disk, leaves what was there before.
 *
 * @param how.mode permissions of the file, also where there is one already; without it those of that one, or the user's own
 * @throws LimitlineError `FILE`
 */
export async function writeOutput(
  out: string | undefined,
  write: (to: Writable) => Promise<void>,
  how: { mode?: number } = {},
): Promise<void> {
  if (out === undefined) return writeToReader(process.stdout, STANDARD_OUTPUT, write);
  // Through a link to what it is a link to.
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

/**
 * Writes to where somebody may be reading, who may have enough of it, as `head` has: that is the end of the answer, and no
 * fault. Any other fault of the output is said as one; what else goes wrong, such as Redis, is none of it, though its errors
 * may bear the same codes.
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

/** A pipe or a device has no draft. */
async function writeThrough(path: string, write: (to: Writable) => Promise<void>): Promise<void> {
  const handle = await open(path, 'w').catch((error) => {
    throw fileFault(path, 'written', error);
  });
  await writeToReader(handle.createWriteStream(), path, write);
}
