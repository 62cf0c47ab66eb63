import { counted } from '../../src/counted.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { startProgress } from '../progress/progress.ts';
import type { ProblemList } from './problems.ts';

/** The number of lines in all and of each kind. */
type LineCounts = { lines: number; rows: number; invalid: number; duplicate: number };

/**
 * Reads all lines of an open file with a progress display, and counts them by kind.
 *
 * @param onBatch answers the lines to count: earlier requests may make one invalid
 */
export async function readAll(
  opened: Opened,
  list: ProblemList,
  onBatch: (batch: Line[]) => Promise<Line[]>,
): Promise<LineCounts> {
  const counts = { lines: 0, rows: 0, invalid: 0, duplicate: 0 };
  const progress = startProgress(() => ({ done: 0, total: undefined, words: `${counted(counts.lines, 'line')} read` }));
  try {
    for await (const batch of opened.batches()) {
      counts.lines += batch.length;
      for (const line of await onBatch(batch)) {
        counts[line.kind === 'row' ? 'rows' : line.kind] += 1;
        list.add(line.kind === 'row' ? { warnings: line.warnings, changed: line.changed } : line);
      }
    }
  } finally {
    progress.stop();
  }
  return counts;
}
