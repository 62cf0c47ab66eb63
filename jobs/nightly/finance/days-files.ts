import { lstat, readdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { ANY_DOCUMENT } from '../../../src/documents/folder.ts';
import { isLimitlineError } from '../../../src/errors.ts';
import type { KnownImport } from '../../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../../src/ledger/rows/rows.ts';
import {
  isErrorsHeader,
  lineOfFileText,
  mendedLineOf,
  shortDigest,
} from '../../../src/portfolio/columns/result-columns.ts';
import type { BuyerBook } from '../../../src/portfolio/identity/buyer-book.ts';
import { type Opened, openPortfolio } from '../../../src/portfolio/open-portfolio.ts';
import { visible } from '../../../src/portfolio/problem.ts';
import { HOUR_MS } from '../../../src/time-units.ts';
import { makeLinesAgain, type OpenImport } from '../../import/lines-again.ts';
import { isOfDecisions, ofSupplier, REJECTED, TAKEN, TIME } from '../../inbox/dropped-names.ts';

/** A file of the day with lines that may have led to no request. */
export type DayFile = {
  /** The portfolio of its import, or the intended one; '' if unknown. */
  portfolio: string;
  fileName: string;
  /** The number of the import that read this file; left out if none did. */
  importId?: string;
  /** When its import began, or it came here, in ms. */
  atMs: number;
  /** Numbers of later imports of the portfolio: a row of theirs shows that the line of the same buyer was corrected. */
  later: ReadonlySet<string>;
  /** Those of the later imports that have lines which led to no row. */
  refusing: readonly { importId: string; open(book: BuyerBook): Promise<Opened> }[];
  /** Lines that a later errors file contains. That file's lines tell what became of them. */
  mended: ReadonlySet<number>;
  /** The reason that is reported for each line without a reason of its own. */
  why: string;
  /** The finding if the file cannot be read, and how many lines it counts for. */
  unread: { says: string; rows: number };
  command?: string;
  /** @throws LimitlineError `FILE` where it cannot be read */
  open(book: BuyerBook): Promise<Opened>;
};

export type DayImport = {
  portfolio: string;
  known: KnownImport;
  /** Whether the import was stopped or died before the end of its file. */
  isBrokenOff: boolean;
  later: readonly KnownImport[];
  /** Imports that began between its first beginning and its last: its file was imported again after them. */
  between: readonly KnownImport[];
};

/**
 * Imports begun since `sinceMs` with lines that led to no row, also by being `duplicates` alone if these are asked for. An unfinished import
 * is left to the next night. Imports before a cancellation of the portfolio are no longer wanted, unless it cancelled no row.
 */
export async function* dayImports(
  sinceMs: number,
  portfolios: Pick<Portfolios, 'names' | 'allImports' | 'read'>,
  duplicates = false,
): AsyncGenerator<DayImport> {
  for (const portfolio of await portfolios.names()) {
    const all = await portfolios.allImports(portfolio);
    const lacking = all.filter(({ lastMs, found }) => {
      return lastMs >= sinceMs && (!found || found.invalid > 0 || (duplicates && found.duplicate > 0));
    });
    if (lacking.length === 0) continue;
    const { importing, rowsGivenUpMs = 0 } = await portfolios.read(portfolio);
    for (const known of lacking) {
      // Others of the portfolio are not left to the next night, which may look only at imports that began after them.
      if (importing && known.found === undefined) continue;
      if (rowsGivenUpMs >= known.lastMs) continue;
      const later = all.filter((one) => isLater(one, known));
      const between = all.filter((one) => one.number > known.number && !isLater(one, known));
      yield { portfolio, known, isBrokenOff: known.found === undefined, later, between };
    }
  }
}

/**
 * Lines of an import that a later import covers. The later file is an errors file with these lines, or one that mends what these lines
 * mend; or it is the file that these lines mend, imported again; or it has the lines again ({@link makeLinesAgain}). If the file itself was
 * imported again, a line counts as mended, too, if an errors file led it to a row before.
 */
export async function linesMended(
  { portfolio, known, later, between }: DayImport,
  open: OpenImport,
  { rows }: { rows: Pick<Rows, 'atLines'> },
): Promise<Set<number>> {
  const [mended, named] = [new Set<number>(), new Set<string>()];
  const files = new Set<string>();
  for (const one of later) {
    files.add(shortDigest(one.id));
    for (const { from } of await linesOfErrors(one, open)) {
      named.add(lineOfFileText(from));
      if (from.portfolio === portfolio && from.file === shortDigest(known.id)) mended.add(from.line);
    }
  }
  for (const one of between) {
    for (const { line, from } of await linesOfErrors(one, open)) {
      if (from.portfolio !== portfolio || from.file !== shortDigest(known.id)) continue;
      // A row of this line may belong to a third file by now.
      const isWhole = one.found?.invalid === 0;
      const isThere = async () =>
        (await rows.atLines(portfolio, String(one.number), { from: line, to: line })).length > 0;
      if (isWhole || (await isThere())) mended.add(from.line);
    }
  }
  for (const { line, from } of await linesOfErrors(known, open)) {
    const cameInAgain = from.portfolio === portfolio && files.has(from.file);
    if (cameInAgain || named.has(lineOfFileText(from))) mended.add(line);
  }
  const againIn = makeLinesAgain(known, open);
  for (const one of later) {
    if (one.found === undefined) continue;
    const cameBefore = one.number < known.number;
    for (const line of await unlessUnread(againIn({ ...one, cameBefore }), [])) mended.add(line);
  }
  return mended;
}

/** The age, in ms, from which a dropped file is reported. A younger file may still be written or taken. */
const UNTAKEN_AFTER_MS = HOUR_MS;

/** Files that Limitline writes beside a file of buyers. */
const BESIDE = /\.(?:problems|results)\.csv$/i;

/** A dropped file of buyers, by its ending. Hidden and temporary files are left out. */
const DROPPED_NAME = /^(?![.~]).+\.(?:csv|xlsx)$/i;

/**
 * Files that the drop folder rejected since `sinceMs`, files that have been there long because no process takes them, and files
 * taken long ago that cannot be imported, for example because the disk is full. Follows no links. Answers nothing if there is
 * no readable drop folder: the import of dropped files reports that.
 */
export async function droppedFiles(
  inbox: string | undefined,
  { sinceMs, atMs, signal }: { sinceMs: number; atMs: number; signal: AbortSignal },
): Promise<DayFile[]> {
  if (inbox === undefined) return [];
  const fileAt = (path: string, fileName: string, atMs: number, why: string): DayFile => ({
    portfolio: '',
    fileName: visible(fileName),
    atMs,
    later: new Set(),
    refusing: [],
    mended: new Set(),
    why,
    unread: { says: `${why}, and cannot be read as a list of buyers`, rows: 1 },
    open: (buyers) => openPortfolio({ path, givenPath: fileName, documents: ANY_DOCUMENT, buyers, signal }),
  });
  const rejected = (await regularFiles(join(inbox, REJECTED)))
    .filter(({ name }) => takenMs(name) >= sinceMs && !BESIDE.test(name))
    .map(({ path, name }) => fileAt(path, name, takenMs(name), 'its file was rejected by the drop folder'));
  const lying = (await regularFiles(inbox))
    .filter(({ name, changedMs }) => DROPPED_NAME.test(name) && atMs - changedMs >= UNTAKEN_AFTER_MS)
    .map(({ path, name, changedMs }) =>
      fileAt(path, name, changedMs, 'its file lies in the drop folder and was not taken'),
    );
  const stuck = (await takenFiles(join(inbox, TAKEN)))
    .filter(({ name }) => atMs - takenMs(name) >= UNTAKEN_AFTER_MS)
    .map(({ path, name }) =>
      fileAt(path, name, takenMs(name), 'its file was taken from the drop folder and not imported yet'),
    );
  // Files of decisions and of suppliers contain no buyers to request limits for.
  return [...rejected, ...lying, ...stuck].filter(
    ({ fileName }) => !isOfDecisions(fileName) && ofSupplier(fileName) === undefined,
  );
}

type LineFrom = { line: number; from: NonNullable<ReturnType<ReturnType<typeof mendedLineOf>>> };

/** The lines of an errors file that say which line they mend. None for other files, nor for a copy that is missing or damaged. */
function linesOfErrors(known: KnownImport, open: OpenImport): Promise<LineFrom[]> {
  const read = async () => {
    const lines: LineFrom[] = [];
    const opened = await openErrors(known, open);
    if (!opened) return [];
    const mendedLine = mendedLineOf(opened.header);
    for await (const batch of opened.plainLines()) {
      for (const { line, cells } of batch) {
        const from = mendedLine(cells);
        if (from) lines.push({ line, from });
      }
    }
    return lines;
  };
  return unlessUnread(read(), []);
}

/** What a copy tells; `otherwise` if it is missing or damaged, which is reported when its own lines are checked. */
export function unlessUnread<Told>(told: Promise<Told>, otherwise: Told): Promise<Told> {
  return told.catch((error) => {
    if (!isLimitlineError(error, 'FILE', 'NOT_FOUND')) throw error;
    return otherwise;
  });
}

async function openErrors(known: KnownImport, open: OpenImport): Promise<Opened | undefined> {
  const opened = await open(known);
  if (opened.problems.length === 0 && isErrorsHeader(opened.header)) return opened;
  await opened.close();
  return undefined;
}

/** Whether the first import is later than the other. Of two in the same millisecond, the higher number is. */
function isLater(one: KnownImport, known: KnownImport): boolean {
  return one.lastMs > known.lastMs || (one.lastMs === known.lastMs && one.number > known.number);
}

/** When a file was taken, from its name; -Infinity for other names. */
function takenMs(name: string): number {
  const [, ...parts] = TIME.test(name) ? (TIME_PARTS.exec(name) ?? []) : [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (second === undefined) return Number.NEGATIVE_INFINITY;
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

const TIME_PARTS = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/;

type Lying = { path: string; name: string; changedMs: number };

async function regularFiles(dir: string): Promise<Lying[]> {
  const names = await readdir(dir).catch(() => []);
  const found: Lying[] = [];
  for (const name of names.sort()) {
    if (!DROPPED_NAME.test(name)) continue;
    const path = join(dir, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile()) found.push({ path, name: basename(name), changedMs: Math.max(stats.mtimeMs, stats.ctimeMs) });
  }
  return found;
}

/** Files that are being imported: `.taken/ACCOUNT/ID/file.csv`, with the name that they get at the end. */
async function takenFiles(dir: string): Promise<Lying[]> {
  const found: Lying[] = [];
  for (const account of await readdir(dir).catch(() => [])) {
    for (const id of await readdir(join(dir, account)).catch(() => [])) {
      const own = await regularFiles(join(dir, account, id));
      const file = own.find(({ name }) => /^file\.(?:csv|xlsx)$/.test(name));
      if (file) found.push({ ...file, name: id + extname(file.name) });
    }
  }
  return found;
}
