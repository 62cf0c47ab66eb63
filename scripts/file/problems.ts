import { stat } from 'node:fs/promises';
import { counted, grouped } from '../../src/counted.ts';
import type { Line } from '../../src/portfolio/lines/row.ts';
import type { Opened } from '../../src/portfolio/open-portfolio.ts';
import { type CellChange, makeProblem, type Problem, WHOLE_FILE } from '../../src/portfolio/problem.ts';
import { startProgress } from '../progress/progress.ts';

/** The most problems, and warnings that are unlike each other, that are listed unless a command says otherwise; further ones are counted. */
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

/** Warnings of one column whose sentences differ only in names and numbers: how many, and lines whose warnings were not printed. */
type Alike = { column: string | null; sentence: string; count: number; lines: number[] };

/** Warnings that are alike, as text: `city: 2,340 more lines have the warning "The city differs from … of …": 14, 15 and 2,338 more.` */
function alikeText({ column, sentence, count, lines }: Alike, isListed: boolean): string {
  const more = count - SAID_ONE_BY_ONE;
  const have = counted(more, 'more line has', 'more lines have');
  const [start] = sentence.split(/[.:](?: |$)/, 1);
  const all = isListed && more > lines.length ? '; --json lists them' : '';
  return `${column === null ? '' : `${column}: `}${have} the warning "${start}": ${listed(lines, more)}${all}.`;
}

/** `2, 7 and 9`, `2, 7, 9 and 1,200 more`: the lines of which there are `count`. */
function listed(lines: readonly number[], count: number): string {
  const more = count - lines.length;
  if (more > 0) return `${lines.join(', ')} and ${grouped(more)} more`;
  return lines.length < 2 ? lines.join('') : `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
}

/** So many warnings that are alike are printed one by one. The others are summed up in one sentence at the end. */
const SAID_ONE_BY_ONE = 10;

/** Lines that such a sentence names: as many as a person can look up. */
const NAMED_LINES = 20;

/** What differs between sentences that are alike: quoted names and words with digits. A state, as in `(1,000, held)`, tells them apart. */
const DIFFERING = /"[^"]*"|[^\s(]*\d\S*?(?=[\s.,:;)]|$)/g;

/** The sentence of all kinds of warnings after the first thousand. */
const OTHERS = '…';

/** The findings of a batch of lines, or of the whole file. */
type Findings = { problems?: readonly Problem[]; warnings?: readonly Problem[]; changed?: readonly CellChange[] };

export type ProblemList = ReturnType<typeof makeProblemList>;

/**
 * Collects problems for a command's answer and prints them by line as they are found. Warnings and changes are often many and alike, so
 * `sayAlike` sums them up at the end, one sentence for each column and reason.
 *
 * @param most.printed problems that are printed
 * @param most.kept problems that stay in the list
 */
export function makeProblemList(write: (text: string) => void, { printed = SHOWN, kept = SHOWN } = {}) {
  const problems: Problem[] = [];
  const warnings: Problem[] = [];
  const changed: CellChange[] = [];
  const counts = { problems: 0, warnings: 0, changed: 0 };
  /** Kinds of changes by message, then by column. */
  const kinds = new Map<string, Map<string, Kind>>();
  const alike = new Map<string, Alike>();

  const keepProblem = (found: Problem): void => {
    counts.problems += 1;
    if (problems.length < kept) problems.push(found);
    if (counts.problems <= printed) write(problemText(found));
    else if (counts.problems === printed + 1) {
      write(
        `… more than ${printed} problems: the others are only counted here; the errors file of an import has them all.`,
      );
    }
  };

  const keepWarning = (found: Problem): void => {
    counts.warnings += 1;
    const masked = found.message.replace(DIFFERING, '…');
    const own = `${found.column}: ${masked}`;
    const isNamed = alike.has(own) || alike.size < SHOWN;
    const of = isNamed ? { column: found.column, sentence: masked } : { column: null, sentence: OTHERS };
    const key = isNamed ? own : OTHERS;
    const kind = alike.get(key) ?? { ...of, count: 0, lines: [] };
    alike.set(key, kind);
    kind.count += 1;
    // Many of one kind hide no other kind.
    if (warnings.length < SHOWN || kind.count <= SAID_ONE_BY_ONE) warnings.push(found);
    if (kind.count <= SAID_ONE_BY_ONE) write(`${problemText(found)} (a warning)`);
    else if (kind.lines.length < NAMED_LINES) kind.lines.push(found.line);
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
      const both = [
        ...(found.problems ?? []).map((problem) => ({ problem, keep: keepProblem })),
        ...(found.warnings ?? []).map((problem) => ({ problem, keep: keepWarning })),
      ];
      both.sort((one, other) => one.problem.line - other.problem.line);
      for (const { problem, keep } of both) keep(problem);
      for (const change of found.changed ?? []) keepChange(change);
    },
    /** Prints the warnings that were not printed one by one, and the changes. */
    sayAlike(): void {
      const isListed = counts.warnings === warnings.length;
      for (const kind of alike.values()) if (kind.count > SAID_ONE_BY_ONE) write(alikeText(kind, isListed));
      for (const columns of kinds.values()) for (const kind of columns.values()) write(changeText(kind));
    },
  };
}

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

/**
 * Notes size and time of a file before it is read. The function that is returned gives a warning if they
 * differ later, since somebody still wrote to the file. There is none for pipes, and for files whose size and time cannot be read.
 */
export async function lookForChange(path: string): Promise<() => Promise<Problem[]>> {
  const before = await versionOf(path);
  return async () => ((await versionOf(path)) === before ? [] : [makeProblem(WHOLE_FILE, null, null, CHANGED)]);
}

const CHANGED =
  'The file was changed while it was read, so lines may be missing: give the command again when nobody writes to the file any more.';

async function versionOf(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? `${found.size} ${found.mtimeMs}` : '';
}
