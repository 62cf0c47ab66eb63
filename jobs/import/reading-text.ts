import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { type ReadOptions, readingFound, readOptionsSchema } from '../../src/portfolio/read-options.ts';

/**
 * How a file is read, as the ledger keeps it with an import: the same text for the same way of reading, since by this text and
 * the copy an import is known again.
 */
export function readingTextOf(given: ReadOptions, opened: Pick<Opened, 'dialect' | 'headerLine'>): string {
  // The schema brings the options into one order, whoever gave them.
  return JSON.stringify(readingFound(readOptionsSchema.parse(given), opened));
}
