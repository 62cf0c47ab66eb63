import { isLimitlineError } from '../../../src/errors.ts';
import type { KnownImport } from '../../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { isErrorsHeader, lineOfImportText, mendedLineOf } from '../../../src/portfolio/columns/result-columns.ts';
import type { BuyerBook } from '../../../src/portfolio/identity/buyer-book.ts';
import type { Opened } from '../../../src/portfolio/open-portfolio.ts';

/** A file of the day, some of whose lines may have led to no request. */
export type DayFile = {
  /** The portfolio that it was imported into, or was meant for as far as that is known; '' where it is not. */
  portfolio: string;
  fileName: string;
  /** Number of its import, where there was one: rows bear it. */
  importId?: string;
  /** Numbers of imports of its portfolio that were begun later: what they have of a buyer came after this file. */
  later: ReadonlySet<string>;
  /** Its lines that an errors file held which was imported later: what became of them, that file's lines say. */
  mended: ReadonlySet<number>;
  /** Why a line has no request, where nothing else is known of it; all such lines share the words. */
  why: string;
  /** What is said where the file cannot be read, and how many lines it stands for. */
  unread: { says: string; rows: number };
  /** The command by which a person goes on, if there is one. */
  command?: string;
  /** @throws LimitlineError `FILE` where it cannot be read */
  open(book: BuyerBook): Promise<Opened>;
};

/** A file's import, and what became of it. */
export type DayImport = {
  portfolio: string;
  known: KnownImport;
  /** Whether it was given up or killed before the end of its file. */
  isBrokenOff: boolean;
  /** Those of its portfolio that were begun later. */
  later: readonly KnownImport[];
};

/**
 * The imports that were begun since a moment, and have lines that led to no row. One that is under way is left to the next night, and
 * one whose file came once more, under the same name, to the later one. What was imported before somebody gave up the portfolio is
 * not wanted any more.
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

/** Whether it was not read to its end, or has lines that led to no row and are no repetitions. */
function isLacking({ found }: KnownImport): boolean {
  return found === undefined || found.invalid > 0;
}

/**
 * The lines of an import of which a later one tells: an errors file that was made of them or mends the same lines as they do, or the file
 * that they mend, which came again. A file that itself came again is not asked.
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

/** The lines of an errors file that say which line they mend; of any other file none, nor of one that cannot be read. */
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

/** Two may have begun in one millisecond; then the one of the higher number was begun first after it. */
function isLater(one: KnownImport, known: KnownImport): boolean {
  return one.lastMs > known.lastMs || (one.lastMs === known.lastMs && one.number > known.number);
}
