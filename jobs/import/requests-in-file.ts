import type { OwnFile } from '../../src/ledger/portfolios/replacing.ts';
import { rowIdOf } from '../../src/ledger/schema/schema.ts';
import { mendedRowOf } from '../../src/portfolio/columns/result-columns.ts';
import { makeKeySet } from '../../src/portfolio/identity/key-set.ts';
import { requestOf } from '../../src/portfolio/lines/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';

/**
 * Makes a function that returns the requests of a file's lines, and the rows that they correct. The first call reads the file;
 * most imports never call it. Takes 17 MB for a million lines.
 */
export function makeRequestsInFile(open: () => Promise<Opened>): () => Promise<OwnFile> {
  let looking: Promise<OwnFile> | undefined;
  return () => {
    looking ??= lookThrough(open);
    return looking;
  };
}

async function lookThrough(open: () => Promise<Opened>): Promise<OwnFile> {
  const opened = await open();
  const [keys, mended] = [makeKeySet(), makeKeySet()];
  const mendedRow = mendedRowOf(opened.header);
  for await (const batch of opened.batches()) {
    for (const line of batch) {
      const key = requestOf(line);
      if (key !== '') keys.add(key);
      const row = rowIdOf(mendedRow(line.cells));
      if (row) mended.add(row.key);
    }
  }
  return { has: keys.has, mends: mended.has };
}
