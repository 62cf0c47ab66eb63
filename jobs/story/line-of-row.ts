import type { DocumentStore } from '../../src/documents/store.ts';
import { isLimitlineError } from '../../src/errors.ts';
import type { KnownImport } from '../../src/ledger/portfolios/imports.ts';
import type { LineOfRow } from '../../src/ledger/story/row-story.ts';
import { openImported } from '../export/open-imported.ts';

/**
 * Finds a line in the copy of its file, by reading from the beginning: there is no index, and rows are seldom viewed.
 *
 * @param limitMs how long this may take; some 50,000 lines are read in a second
 */
export async function lineOfRow(
  line: number,
  known: KnownImport | undefined,
  { imports, limitMs, signal }: { imports: DocumentStore; limitMs: number; signal: AbortSignal },
): Promise<LineOfRow> {
  if (!known) return { is: 'gone' };
  const limit = AbortSignal.timeout(limitMs);
  try {
    const opened = await openImported(known, { imports, signal: AbortSignal.any([limit, signal]) });
    for await (const batch of opened.batches()) {
      const found = batch.find((one) => one.line === line);
      if (found) {
        const { header, columns } = opened;
        const cells = found.cells.map((cell, place) => ({
          column: header[place] || `column ${place + 1}`,
          meaning: columns[place]?.known ?? null,
          cell,
        }));
        return { is: 'read', cells };
      }
      if ((batch.at(-1)?.line ?? 0) > line) break;
    }
    return { is: 'gone' };
  } catch (error) {
    if (limit.aborted && !signal.aborted) return { is: 'far' };
    if (isLimitlineError(error, 'FILE', 'NOT_FOUND')) return { is: 'gone' };
    throw error;
  }
}
