import { counted } from '../../src/counted.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { type CellChange, type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { startProgress } from '../progress/progress.ts';

/** The most problems that are listed; further ones are counted. */
const SHOWN = 1_000;

/** A problem as text: `line 7, requested_limit "12,5": …`, or `file: …` for the whole file. */
export function problemText({ line, column, value, message }: Problem): string {
  const place = line === WHOLE_FILE ? 'file' : `line ${line}`;
  const where = column === null ? place : `${place}, ${column}`;
  return value === null || value === '' ? `${where}: ${message}` : `${where} ${JSON.stringify(value)}: ${message}`;
}

/** Changes as text: `Betrag: 1,200 cells changed, such as line 2 "1.234,56" to 1234.56. It was written with a decimal comma.` */
function changeText({ first, count }: Kind): string {
  const { line, column, value, became, message } = first;
  return `${column}: ${counted(count, 'cell')} changed, such as line ${line} ${JSON.stringify(value)} to ${JSON.stringify(became)}. ${message}`;
}

/** Changes of one column for the same reason: the first, and how many. */
type Kind = { first: CellChange; count: number };

/** The findings of a batch of lines, or of the whole file. */
type Findings = { problems?: readonly Problem[]; warnings?: readonly Problem[]; changed?: readonly CellChange[] };

export type ProblemList = ReturnType<typeof makeProblemList>;

/**
 * Collects problems for a command's answer and prints each as it is found, up to a thousand. Changes are many and alike, so
 * they are printed at the end, one sentence for each column and reason.
 */
export function makeProblemList(write: (text: string) => void) {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const changed: CellChange[] = [];
  const counts = { problems: 0, warnings: 0, changed: 0 };
  /** Kinds of changes by message, then by column. */
  const kinds = new Map<string, Map<string, Kind>>();

  const keep = (kind: 'problems' | 'warnings', found: Problem, mark: string): void => {
    const kept = kind === 'problems' ? problems : warnings;
    counts[kind] += 1;
    if (kept.length < SHOWN) {
      kept.push(found);
      write(problemText(found) + mark);
    } else if (counts[kind] === SHOWN + 1) {
      write(
        `… more than ${SHOWN} ${kind}: the others are only counted here; the errors file of an import has them all.`,
      );
    }
  };

  const keepChange = (change: CellChange): void => {
    counts.changed += 1;
    if (changed.length < SHOWN) changed.push(change);
    const columns = kinds.get(change.message) ?? new Map<string, Kind>();
    if (columns.size === 0) kinds.set(change.message, columns);
    const kind = columns.get(change.column);
    if (kind) kind.count += 1;
    else columns.set(change.column, { first: change, count: 1 });
  };

  return {
    problems,
    warnings,
    changed,
    counts,
    add(found: Findings): void {
      for (const problem of found.problems ?? []) keep('problems', problem, '');
      for (const warning of found.warnings ?? []) keep('warnings', warning, ' (a warning)');
      for (const change of found.changed ?? []) keepChange(change);
    },
    /** Prints the changes. */
    sayChanges(): void {
      for (const columns of kinds.values()) for (const kind of columns.values()) write(changeText(kind));
    },
  };
}

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
