import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { makeUnpackedFolder, removeUnpackedFolders, sweepUnpackedFolders } from '../../src/documents/archive.ts';
import { LimitlineError } from '../../src/errors.ts';
import { fileFault, systemCode } from '../../src/files/disk.ts';
import { waitForSignal } from '../process/long-running.ts';

/** The file name for standard input, as in other commands. */
export const STANDARD_INPUT = '-';

/** The name of standard input in texts. */
export const INPUT_NAME = 'standard input';

/**
 * The path of the file. For `-`, a private copy of standard input that is removed when the process ends: files are read more
 * than once, and a workbook cannot be read otherwise.
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
    // The process ends as the signal itself would end it: nothing needs to be completed yet.
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

/** The documents' folder for standard input, in the working directory; undefined for a file, whose documents are beside it. */
export function documentsBeside(file: string): string | undefined {
  return file === STANDARD_INPUT ? 'documents' : undefined;
}

/** @throws LimitlineError `USAGE` where the portfolio has no name */
export function needPortfolio(file: string, portfolio: string | undefined): void {
  if (file !== STANDARD_INPUT || portfolio !== undefined) return;
  const message = 'A file from standard input has no name: give the portfolio one with --portfolio NAME.';
  throw new LimitlineError('USAGE', message);
}
