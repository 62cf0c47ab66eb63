import { extname } from 'node:path';
import { isPortfolioName } from '../../src/ledger/schema/schema.ts';
import { visible } from '../../src/portfolio/problem.ts';

/** Longer than any name that a file system takes. */
const LONGEST = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSEEN = /[\0-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * What a file is called, to be shown: without the folders that it was in, and without what cannot be seen or turns the
 * direction of reading. It names nothing on our disk.
 */
export function shownName(given: string): string {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const name = visible(last.replace(UNSEEN, '')).trim().replace(/^\.+/, '');
  if (name === '') return 'portfolio';
  const ending = extname(name).slice(0, 20);
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - ending.length)}${ending}`.toWellFormed();
}

/** What the console and a run call the lines that want mending, and what a browser puts behind it the second time. */
const ERRORS_FILE = /(?<=.)[-.]errors(?:-[a-z0-9]{1,16})?(?: ?\(\d+\))?$/;

/**
 * `Buyers Q4 (final).csv` → `Buyers Q4 -final-`: the name that is proposed for a portfolio. Of an errors file it is the portfolio's
 * that it came from, since it is to be mended there, and any other refuses it.
 */
export function portfolioNameFor(file: string): string {
  const name = file
    .slice(0, file.length - extname(file).length)
    .normalize('NFC')
    .replace(ERRORS_FILE, '');
  const allowed = name
    .replace(/[^\p{L}\p{N} ._-]/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, 64)
    .trim();
  return isPortfolioName(allowed) ? allowed : 'portfolio';
}

/**
 * Why a document cannot be kept under this name; null where it can. Lines name documents by their files' names, so that these are
 * kept as they are, or not taken.
 */
export function documentNameFault(name: string): string | null {
  const shown = visible(name.slice(0, LONGEST));
  if (/[/\\]/.test(name) || /^[a-z]:/i.test(name) || name === '.' || name === '..') {
    return `The document ${shown} is named with a folder: give the file alone, or pack the folder as a ZIP file.`;
  }
  if (name.search(UNSEEN) !== -1 || !name.isWellFormed()) {
    return `The name of the document ${shown} has a character in it that cannot be seen: rename the file.`;
  }
  if (name.startsWith('.')) return `The document ${shown} is a hidden file: rename it, or leave it out.`;
  return Buffer.byteLength(name) > LONGEST ? `The name of the document ${shown}… is too long: rename the file.` : null;
}
