import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { type ReadOptions, readingFound, readOptionsSchema } from '../../src/portfolio/read-options.ts';

/**
 * The read options of an import, as the ledger keeps them. The same options give the same text: this text and the copy's digest
 * identify an import.
 */
export function readingTextOf(given: ReadOptions, opened: Pick<Opened, 'dialect' | 'headerLine'>): string {
  // The schema puts the options into one order.
  return JSON.stringify(readingFound(readOptionsSchema.parse(given), opened));
}
