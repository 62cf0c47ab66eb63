import { CsvError, parse } from 'csv-parse/sync';
import type { Delimiter } from './dialect.ts';
import { findQuoteFault, hasOddQuotes, type QuoteFault } from './quote-fault.ts';

/** A line's cells. In a broken line: the cells before the fault, then the rest split at every delimiter. */
type LineCells = {
  cells: string[];
  /** The fault of the line's quotation marks, and the index of its cell. */
  fault: { kind: QuoteFault['kind']; cell: number } | null;
};

/**
 * Parses records that are known to be sound, in one call of csv-parse: a call costs as much as five records.
 *
 * @param records each without its final line break; marks of damage (see `encodings/damage.ts`) are preserved.
 * @throws CsvError when one of them is not sound.
 */
export function readSound(records: readonly string[], delimiter: Delimiter): string[][] {
  const text = records.map((record) => `${record}\n`).join('');
  const read = withoutStacks(() => parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true }));
  return text.isWellFormed() ? read : remarked(read, text);
}

/** Reads lines that are one record each. In a broken line, a cell that stays open ends with the line. */
export function readLines(lines: readonly string[], delimiter: Delimiter): LineCells[] {
  // If quotation marks come in pairs, csv-parse either fails or reads each line as one record.
  const sound = lines.some(hasOddQuotes) ? null : readIfSound(lines, delimiter);
  if (sound) return sound.map((cells) => ({ cells, fault: null }));
  const faults = lines.map((line) => findQuoteFault(line, delimiter));
  // A broken line is parsed only up to the delimiter before the fault.
  const starts = lines.map((line, place) => line.slice(0, startLength(faults[place], line)));
  return readSound(starts, delimiter).map((cells, place) => {
    const fault = faults[place];
    if (!fault) return { cells, fault: null };
    const before = fault.at === 0 ? [] : cells;
    const rest = (lines[place] ?? '').slice(fault.at).split(delimiter);
    return { cells: [...before, ...rest], fault: { kind: fault.kind, cell: before.length } };
  });
}

/**
 * csv-parse creates an error for every record of another width, even if that is allowed. Collecting the stack of such
 * an error takes five times as long as reading the record.
 */
function withoutStacks<Answer>(work: () => Answer): Answer {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return work();
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function readIfSound(lines: readonly string[], delimiter: Delimiter): string[][] | null {
  try {
    return readSound(lines, delimiter);
  } catch (error) {
    if (error instanceof CsvError) return null;
    throw error;
  }
}

function startLength(fault: QuoteFault | null | undefined, line: string): number {
  return fault ? Math.max(0, fault.at - 1) : line.length;
}

/**
 * csv-parse works on UTF-8, which turns every mark of damage into U+FFFD. This restores the marks in their order, among
 * the U+FFFD that the file itself has.
 */
function remarked(read: string[][], text: string): string[][] {
  const marks = (text.match(/[\p{Surrogate}\ufffd]/gu) ?? []).values();
  const next = () => marks.next().value ?? '';
  return read.map((cells) => cells.map((cell) => cell.replaceAll('\ufffd', next)));
}
