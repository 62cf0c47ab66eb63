import { CsvError, parse } from 'csv-parse/sync';
import type { Delimiter } from './dialect.ts';
import { findQuoteFault, hasOddQuotes, type QuoteFault } from './quote-fault.ts';

/** The cells of one line; of a broken one those before the fault, then the rest as it is written, from delimiter to delimiter. */
type LineCells = {
  cells: string[];
  /** What is wrong with the line's quotation marks, and in which of the cells. */
  fault: { kind: QuoteFault['kind']; cell: number } | null;
};

/**
 * Reads records that are known to be sound, all in one call of csv-parse: a call costs as much as some five records.
 *
 * @param records each without the line break that ends it; what was damaged in them (see `encodings/damage.ts`) comes back as it was.
 * @throws CsvError when one of them is not sound.
 */
export function readSound(records: readonly string[], delimiter: Delimiter): string[][] {
  const text = records.map((record) => `${record}\n`).join('');
  const read = withoutStacks(() => parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true }));
  return text.isWellFormed() ? read : remarked(read, text);
}

/** Reads lines of which each is a record, and some may be broken: a cell that is left open ends with its line. */
export function readLines(lines: readonly string[], delimiter: Delimiter): LineCells[] {
  // Where quotation marks come in pairs, csv-parse fails or takes each line for one record: none can swallow the next.
  const sound = lines.some(hasOddQuotes) ? null : readIfSound(lines, delimiter);
  if (sound) return sound.map((cells) => ({ cells, fault: null }));
  const faults = lines.map((line) => findQuoteFault(line, delimiter));
  // A broken line is read up to the delimiter before the fault.
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
 * csv-parse makes an error of every record that is wider or narrower than the first, also where that is allowed. To find
 * where in the program such an error was made takes five times as long as to read the record.
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
 * csv-parse works on UTF-8, in which our signs for damaged bytes all become U+FFFD. They come back in the order in which
 * they stood, among those U+FFFD that the file spells out.
 */
function remarked(read: string[][], text: string): string[][] {
  const marks = (text.match(/[\p{Surrogate}\ufffd]/gu) ?? []).values();
  const next = () => marks.next().value ?? '';
  return read.map((cells) => cells.map((cell) => cell.replaceAll('\ufffd', next)));
}
