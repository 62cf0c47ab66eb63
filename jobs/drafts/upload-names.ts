import { extname } from 'node:path';
import { isPortfolioName } from '../../src/ledger/schema/schema.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** The most characters of a file's name that are shown, and the most bytes of a document's name. File systems take up to 255 bytes. */
const LONGEST = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSEEN = /[\0-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A file's name for display: without folders, invisible characters and changes of the reading direction. It is never used as a
 * name on our disk.
 */
export function shownName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const name = visible(last.replace(UNSEEN, '')).trim().replace(/^\.+/, '');
  if (name === '') return 'portfolio';
  const ending = extname(name).slice(0, 20);
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - ending.length)}${ending}`.toWellFormed();
}

/** The ending of an errors file by a run or from the drop folder, and the number that a browser adds. */
const BY_RUN = /(?<=.)\.errors(?:-[a-z0-9]{1,16})?(?: ?\(\d+\))?$/;

/** The ending of a file that is no CSV stays in the name of its errors file by a run: `buyers.xlsx.errors.csv`. */
const KEPT_ENDING = /(?<=.)\.(?:xlsx|txt|tsv)$/i;

/** The ending of an errors file by the console, behind the portfolio's own name. */
const BY_CONSOLE = /(?<=.)-errors(?:-[a-z0-9]{1,16})?(?: ?\(\d+\))?$/;

/** An errors file that is run or dropped has an errors file of its own: `q4-errors.csv` leaves `q4-errors.errors.csv`. */
function withoutErrors(name: string): string {
  if (BY_CONSOLE.test(name)) return name.replace(BY_CONSOLE, '');
  return BY_RUN.test(name) ? withoutErrors(name.replace(BY_RUN, '').replace(KEPT_ENDING, '')) : name;
}

/**
 * The name proposed for a portfolio: `Buyers Q4 (final).csv` → `Buyers Q4 -final-`. For an errors file, the portfolio's that it
 * comes from, because any other portfolio refuses it.
 */
export function portfolioNameFor(file: string): string {
  const name = file.slice(0, file.length - extname(file).length).normalize('NFC');
  const allowed = withoutErrors(name)
    .replace(/[^\p{L}\p{N} ._-]/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 64)
    .trim();
  return isPortfolioName(allowed) ? allowed : 'portfolio';
}

/** Why a document cannot have this name; null where it can. Lines refer to documents by name, so a name is never changed. */
export function documentNameFault(name: string): string | null {
  const shown = visible(name.slice(0, LONGEST));
  if (/[/\\]/.test(name) || /^[a-z]:/i.test(name) || name === '.' || name === '..') {
    return `The document ${shown} is named with a folder: give the file alone, or pack the folder as a ZIP file.`;
  }
  if (name.search(UNSEEN) !== -1 || !name.isWellFormed()) {
    return `The name of the document ${shown} has an invisible character: rename the file.`;
  }
  if (name.startsWith('.')) return `The document ${shown} is a hidden file: rename it, or leave it out.`;
  return Buffer.byteLength(name) > LONGEST ? `The name of the document ${shown}… is too long: rename the file.` : null;
}
