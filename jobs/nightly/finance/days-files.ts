import { isLimitlineError } from '../../../src/errors.ts';
import type { KnownImport } from '../../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { isErrorsHeader, lineOfImportText, mendedLineOf } from '../../../src/portfolio/columns/result-columns.ts';
import type { BuyerBook } from '../../../src/portfolio/identity/buyer-book.ts';
import type { Opened } from '../../../src/portfolio/open-portfolio.ts';

/** A file of the day with lines that may have led to no request. */
export type DayFile = {
  /** The portfolio of its import, or the intended one; '' if unknown. */
  portfolio: string;
  fileName: string;
  /** The number of its import, if it was imported. */
  importId?: string;
  /** Numbers of later imports of the portfolio: their rows of a buyer are newer than this file. */
  later: ReadonlySet<string>;
  /** Lines that a later errors file contains. That file's lines tell what became of them. */
  mended: ReadonlySet<number>;
  /** The reason for lines without any other, the same for all of them. */
  why: string;
  /** The finding if the file cannot be read, and how many lines it counts for. */
  unread: { says: string; rows: number };
  /** The command to continue with, if there is one. */
  command?: string;
  /** @throws LimitlineError `FILE` where it cannot be read */
  open(book: BuyerBook): Promise<Opened>;
};

type DayImport = {
  portfolio: string;
  known: KnownImport;
  /** Whether the import was stopped or died before the end of its file. */
  isBrokenOff: boolean;
  /** Imports of the portfolio that began later. */
  later: readonly KnownImport[];
};

/**
 * Imports begun since `sinceMs` with lines that led to no row. An unfinished import is left to the next night. If a file was
 * imported again under the same name, only the later import counts. Imports before a cancellation of the portfolio are no
 * longer wanted.
 */
export async function* dayImports(
  sinceMs: number,
  portfolios: Pick<Portfolios, 'names' | 'allImports' | 'read'>,
): AsyncGenerator<DayImport> {
  for (const portfolio of await portfolios.names()) {
    const all = await portfolios.allImports(portfolio);
    const lacking = all.filter((known) => known.lastMs >= sinceMs && isLacking(known) && !cameAgain(known, all));
    if (lacking.length === 0) continue;
    const { importing, givenUp } = await portfolios.read(portfolio);
    if (importing) continue;
    for (const known of lacking) {
      if (givenUp && givenUp.atMs >= known.lastMs) continue;
      const later = all.filter((one) => isLater(one, known));
      yield { portfolio, known, isBrokenOff: known.found === undefined, later };
    }
  }
}

/** Whether the import is incomplete or has invalid lines. */
function isLacking({ found }: KnownImport): boolean {
  return found === undefined || found.invalid > 0;
}

/**
 * Lines of an import that a later import covers: an errors file made from them, an errors file that mends the same lines, or
 * the file that they mend, imported again. Later imports that were themselves repeated are not read.
 */
export async function linesMended(
  { portfolio, known, later }: DayImport,
  open: (known: KnownImport) => Promise<Opened>,
): Promise<Set<number>> {
  const [mended, named] = [new Set<number>(), new Set<string>()];
  const asked = later.filter((one) => !cameAgain(one, later));
  for (const one of asked) {
    for await (const { from } of linesOfErrors(one, open)) {
      named.add(lineOfImportText(from));
      if (from.portfolio === portfolio && from.importId === String(known.number)) mended.add(from.line);
    }
  }
  for await (const { line, from } of linesOfErrors(known, open)) {
    const cameInAgain = from.portfolio === portfolio && asked.some(({ number }) => from.importId === String(number));
    if (cameInAgain || named.has(lineOfImportText(from))) mended.add(line);
  }
  return mended;
}

/** The lines of an errors file that say which line they mend. None for other or unreadable files. */
async function* linesOfErrors(known: KnownImport, open: (known: KnownImport) => Promise<Opened>) {
  const opened = await open(known).catch(unlessUnreadable);
  if (!opened || opened.problems.length > 0) return;
  if (!isErrorsHeader(opened.header)) return opened.close();
  const mendedLine = mendedLineOf(opened.header);
  for await (const batch of opened.plainLines()) {
    for (const { line, cells } of batch) {
      const from = mendedLine(cells);
      if (from) yield { line, from };
    }
  }
}

function unlessUnreadable(error: unknown): undefined {
  if (!isLimitlineError(error, 'FILE', 'NOT_FOUND')) throw error;
}

function cameAgain(known: KnownImport, all: readonly KnownImport[]): boolean {
  return all.some((one) => one.fileName === known.fileName && isLater(one, known) && one.found !== undefined);
}

/** Of two imports in the same millisecond, the higher number is later. */
function isLater(one: KnownImport, known: KnownImport): boolean {
  return one.lastMs > known.lastMs || (one.lastMs === known.lastMs && one.number > known.number);
}
