import type { KnownImport } from '../../../src/ledger/portfolios/imports.ts';
import type { Portfolios } from '../../../src/ledger/portfolios/portfolios.ts';
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
  later: ReadonlySet<string>;
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
      const later = new Set(all.filter((one) => isLater(one, known)).map(({ number }) => String(number)));
      yield { portfolio, known, isBrokenOff: known.found === undefined, later };
    }
  }
}

/** Whether it was not read to its end, or has lines that led to no row and are no repetitions. */
function isLacking({ found }: KnownImport): boolean {
  return found === undefined || found.invalid > 0;
}

function cameAgain(known: KnownImport, all: readonly KnownImport[]): boolean {
  return all.some((one) => one.fileName === known.fileName && isLater(one, known) && one.found !== undefined);
}

/** Two may have begun in one millisecond; then the one of the higher number was begun first after it. */
function isLater(one: KnownImport, known: KnownImport): boolean {
  return one.lastMs > known.lastMs || (one.lastMs === known.lastMs && one.number > known.number);
}
