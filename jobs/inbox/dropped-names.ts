import { extname } from 'node:path';
import { portfolioNameFor, shownName } from '../drafts/upload-names.ts';

/** Our own folders in a drop folder. `.taken` has files in progress, where only we can reach them. */
export const DONE = 'done';
export const REJECTED = 'rejected';
export const TAKEN = '.taken';

/** Names of unfinished files: scp and rsync, WinSCP, browsers, editors and Office. */
const UNFINISHED = /\.(?:part|partial|filepart|tmp|temp|crdownload|download|swp|lock)$|~$/i;

/**
 * The kind of a file by its name: `buyers` may list buyers, also in a format that is rejected, `supplier` names the supplier of such a list,
 * `unfinished` is still being written, `text` may be a list or a note for people, `none` is anything else.
 */
export function kindOfName(name: string): 'buyers' | 'supplier' | 'unfinished' | 'text' | 'none' {
  if (name.startsWith('.') || name.startsWith('~$') || name === DONE || name === REJECTED) return 'none';
  if (UNFINISHED.test(name)) return 'unfinished';
  if (ofSupplier(name) !== undefined) return 'supplier';
  if (/\.txt$/i.test(name)) return 'text';
  return isOfFormat(name) || OTHER_TABLES.test(name) ? 'buyers' : 'none';
}

/** Names of tables in formats that Limitline does not read. */
const OTHER_TABLES = /\.(?:xls|xlsm|xlsb|ods|numbers|tsv|tab)$/i;

/** Whether a file of this name may be read: a CSV or a workbook. */
export const isOfFormat = (name: string): boolean => /\.(?:csv|xlsx)$/i.test(name);

/** Whether a file of this name has decisions of the service about limits, and no buyers. Such a file has no supplier either. */
export function isOfDecisions(name: string): boolean {
  return /\.decisions(?:\.supplier)?\.(?:csv|xlsx)$/i.test(name);
}

/** The file, without its ending, for which a file of this name gives the supplier: `q4` for `q4.supplier.csv`; undefined for other names. */
export function ofSupplier(name: string): string | undefined {
  return isOfDecisions(name) ? undefined : /^(.+)\.supplier\.(?:csv|xlsx)$/is.exec(name)?.[1];
}

/**
 * As {@link ofSupplier}, for the name of a file that is still being written: `q4` for `q4.supplier.csv.part`. An editor's backup copy,
 * `q4.supplier.csv~`, stays in the folder and does not count.
 */
export function ofUnfinishedSupplier(name: string): string | undefined {
  return name.endsWith('~') ? undefined : ofSupplier(name.replace(UNFINISHED, ''));
}

/** The name without its ending: the name of the folder with its documents, or with `.zip` of their ZIP file. */
export function documentsNameOf(name: string): string {
  return name.slice(0, name.length - extname(name).length);
}

/** The time with which names in `done` and `rejected` begin. If somebody drops such a file again, the rest of the name counts. */
export const TIME = /^\d{8}T\d{6}Z(?:\.\d+)?-/;

/**
 * The portfolio for a file of this name: `q4.csv` and `20261122T013000Z-q4.errors.csv` both give `q4`. Nothing for a name
 * without a letter or digit; '' for decisions, which are for all portfolios.
 */
export function portfolioOf(name: string): string | undefined {
  if (isOfDecisions(name)) return '';
  const own = shownName(name.replace(TIME, ''));
  // The default name for unusable names must not become a portfolio.
  return /[\p{L}\p{N}]/u.test(documentsNameOf(own)) ? portfolioNameFor(own) : undefined;
}

/**
 * The most bytes of a file's own name that are kept in its taken name. With time, number and the longest ending, the name then stays below
 * the 255 bytes that file systems take.
 */
const LONGEST_BYTES = 160;

/**
 * The name of a file from when it was taken, without its ending: `20261122T013000Z-q4`. Leaves out invisible characters,
 * changes of the reading direction and path separators.
 *
 * @param number counts equal names of the same second; 1 is left out
 */
export function takenName(name: string, atMs: number, number = 1): string {
  const time = new Date(atMs).toISOString().replace(/\.\d+|[-:]/g, '');
  const own = documentsNameOf(shownName(name.replace(TIME, ''))).replace(/[\\/:*?"<>|]/g, '-');
  return `${time}${number === 1 ? '' : `.${number}`}-${cutTo(LONGEST_BYTES, own) || 'file'}`;
}

/** The beginning of the text that fits into so many bytes of UTF-8. */
function cutTo(bytes: number, text: string): string {
  let cut = text;
  while (Buffer.byteLength(cut) > bytes)
    cut = cut
      .slice(0, -1)
      .toWellFormed()
      .replace(/\ufffd$/, '');
  return cut;
}
