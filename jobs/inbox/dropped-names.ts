import { extname } from 'node:path';
import { portfolioNameFor, shownName } from '../drafts/upload-names.ts';

/** The folders within a drop folder that are ours. `.taken` is where a file is while it is under way, out of everybody's reach. */
export const DONE = 'done';
export const REJECTED = 'rejected';
export const TAKEN = '.taken';

/** What programs call a file while they write it: scp and rsync, WinSCP, browsers, editors and Office. */
const UNFINISHED = /\.(?:part|partial|filepart|tmp|temp|crdownload|download|swp|lock)$|~$/i;

/** Whether a file of this name may be one of buyers, or is one that is still being written; `none` for whatever else lies there. */
export function kindOfName(name: string): 'buyers' | 'unfinished' | 'none' {
  if (name.startsWith('.') || name.startsWith('~$') || name === DONE || name === REJECTED) return 'none';
  if (UNFINISHED.test(name)) return 'unfinished';
  return /\.(?:csv|xlsx)$/i.test(name) ? 'buyers' : 'none';
}

/** The name without its ending: that of the folder, or with `.zip` of the ZIP file, in which its documents are. */
export function documentsNameOf(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}

/** A time as it stands before the names of files in `done` and `rejected`: who drops one of them again means the file itself. */
export const TIME = /^\d{8}T\d{6}Z(?:\.\d+)?-/;

/**
 * The portfolio that a file of this name is imported into: `q4.csv` → `q4`, and of `20261122T013000Z-q4.errors.csv` the same;
 * nothing where it has no letter or digit to be named by.
 */
export function portfolioOf(name: string): string | undefined {
  const own = shownName(name.replace(TIME, ''));
  // What is proposed where a name gives none is no name that anybody gave.
  return /[\p{L}\p{N}]/u.test(documentsNameOf(own)) ? portfolioNameFor(own) : undefined;
}

/** Together with the time, a number and the longest ending it stays below what file systems take, which is 255 bytes. */
const LONGEST_BYTES = 160;

/**
 * What a file that was taken at this time is called from then on, without an ending: `20261122T013000Z-q4`. Nothing is left in it that
 * cannot be seen, turns the direction of reading, or leads to another folder.
 *
 * @param number the how manieth of this name in this second; 1 is not written
 */
export function takenName(name: string, atMs: number, number = 1): string {
  const time = new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '');
  const own = documentsNameOf(shownName(name.replace(TIME, ''))).replace(/[\\/:*?"<>|]/g, '-');
  return `${time}${number === 1 ? '' : `.${number}`}-${cutTo(LONGEST_BYTES, own) || 'file'}`;
}

/** As much of the text as so many bytes of UTF-8 hold. */
function cutTo(bytes: number, text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > bytes)
    cut = cut
      .slice(0, -1)
      .toWellFormed()
      .replace(/\ufffd$/, '');
  return cut;
}
