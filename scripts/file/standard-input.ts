import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  makeUnpackedFolder,
  removeUnpackedFolders,
  sweepUnpackedFolders,
} from '../../src/documents/unpacked-folders.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, systemCode } from '../../src/files/file-fault.ts';
import { waitForSignal } from '../process/signals.ts';

/** The file's name that means standard input, as for other commands. */
export const STANDARD_INPUT = '-';

/** What it is called where people read of it. */
export const INPUT_NAME = 'standard input';

/**
 * Where the file is: for `-` a copy of all that came through standard input, for this user alone, which is gone when the
 * process ends. A copy can be read as often as it takes to understand it, and a workbook only so.
 *
 * @throws LimitlineError `FILE` where the copy cannot be written
 */
export async function fileOrInput(file: string, say: (text: string) => void): Promise<string> {
  if (file !== STANDARD_INPUT) return file;
  if (process.stdin.isTTY) say('limitline: reading the file from this terminal; Ctrl-D on a line of its own ends it.');
  await sweepUnpackedFolders();
  const { signal, forget } = waitForSignal();
  signal.then((name) => {
    removeUnpackedFolders();
    forget();
    // As it would have ended without us: there is nothing yet that could be left in good order.
    process.kill(process.pid, name);
  });
  const { dir } = await makeUnpackedFolder();
  const path = join(dir, INPUT_NAME);
  try {
    await pipeline(process.stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    if (systemCode(error) === 'EISDIR') throw new LimitlineError('FILE', 'Standard input is a folder; give it a file.');
    throw fileFault(`The copy of standard input, ${path},`, 'written', error);
  } finally {
    forget();
  }
  return path;
}

/** Where documents are looked for that are named without a folder: beside the file, and for what has no place, here. */
export function documentsBeside(file: string): string | undefined {
  return file === STANDARD_INPUT ? 'documents' : undefined;
}

/** @throws LimitlineError `USAGE` where nothing says what the portfolio is called */
export function needPortfolio(file: string, portfolio: string | undefined): void {
  if (file !== STANDARD_INPUT || portfolio !== undefined) return;
  throw new LimitlineError(
    'USAGE',
    'A file from standard input has no name: give the portfolio one with --portfolio NAME.',
  );
}
