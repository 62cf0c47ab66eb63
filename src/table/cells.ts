import { CsvError, parse } from 'csv-parse/sync';
import type { Delimiter } from './dialect.ts';

/** A line's cells. In a broken line: the cells before the fault, then the rest split at every delimiter. */
type LineCells = {
  cells: string[];
  /** The fault of the line's quotation marks, and the index of its cell. */
  fault: { kind: QuoteFault['kind']; cell: number } | null;
};

/**
 * Parses records that are known to be sound. They are handed to csv-parse in one call, since a call by itself takes as long as five records.
 *
 * @param records each without its final line break; marks of damage (see `encodings/utf8.ts`) are preserved.
 * @throws CsvError when one of them is not sound.
 */
export function readSound(records: readonly string[], delimiter: Delimiter): string[][] {
  const text = records.map((record) => `${withFormulasQuoted(record, delimiter)}\n`).join('');
  const read = withoutStacks(() => parse(text, { delimiter, record_delimiter: '\n', relax_column_count: true }));
  return text.isWellFormed() ? read : remarked(read, text);
}

/** Reads lines that are one record each. In a broken line, a cell whose quotation mark is not closed ends with the line. */
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

/** A fault of a record's quotation marks. */
export type QuoteFault = {
  /**
   * `unclosed`: a cell's opening quotation mark is never closed. `stray`: a cell that opens without one contains one.
   * `trailing`: text follows the closing one before the next delimiter.
   */
  kind: 'unclosed' | 'stray' | 'trailing';
  /** Where the faulty cell starts in the record's text, as an index. */
  at: number;
};

/**
 * Finds the first misplaced quotation mark of a record (RFC 4180, section 2, rules 5 to 7); null in a sound record.
 * Nothing else is tolerated than a cell such as `="000123"`, as Excel takes it: a wrong guess may move an amount to another buyer.
 *
 * @param text the record without its final line break.
 * @param delimiter the one character between cells.
 */
export function findQuoteFault(text: string, delimiter: string): QuoteFault | null {
  for (let at = 0, end = 0; ; at = end + 1) {
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close === -1) return { kind: 'unclosed', at };
      end = close + 1;
      if (end < text.length && text[end] !== delimiter) return { kind: 'trailing', at };
    } else {
      end = text.indexOf(delimiter, at);
      if (end === -1) end = text.length;
      const cell = text.slice(at, end);
      if (cell.includes('"') && !TEXT_FORMULA.test(cell)) return { kind: 'stray', at };
    }
    if (end === text.length) return null;
  }
}

/** A cell that programs write without quotation marks around it, so that a spreadsheet keeps the zeros. */
const TEXT_FORMULA = /^="[^"]*"$/;

/** Puts cells such as `="000123"` in quotation marks, without which csv-parse does not read them. */
function withFormulasQuoted(record: string, delimiter: Delimiter): string {
  if (!record.includes('="')) return record;
  let quoted = '';
  for (let at = 0; ; ) {
    const close = record[at] === '"' ? closingQuote(record, at + 1) : at;
    const found = close === -1 ? -1 : record.indexOf(delimiter, close);
    const end = found === -1 ? record.length : found;
    const cell = record.slice(at, end);
    quoted += TEXT_FORMULA.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
    if (end === record.length) return quoted;
    quoted += delimiter;
    at = end + 1;
  }
}

/** Whether a line has an odd number of quotation marks. Only then can it open a cell that closes on a later line. */
export function hasOddQuotes(line: string): boolean {
  let isOdd = false;
  for (let at = line.indexOf('"'); at !== -1; at = line.indexOf('"', at + 1)) isOdd = !isOdd;
  return isOdd;
}

/**
 * Runs csv-parse without collecting the stacks of its errors. It creates an error for every record of another width, even if that is
 * allowed. Collecting the stack of such an error takes five times as long as reading the record.
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
 * csv-parse works on UTF-8, which turns every mark of damage into U+FFFD. This function restores the marks of `text` in the cells, in their
 * order, among the U+FFFD that the file itself has.
 */
function remarked(read: string[][], text: string): string[][] {
  const marks = (text.match(/[\p{Surrogate}\ufffd]/gu) ?? []).values();
  const next = () => marks.next().value ?? '';
  return read.map((cells) => cells.map((cell) => cell.replaceAll('\ufffd', next)));
}

/** The index of the quotation mark that closes a cell whose content starts at `from`; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  let at = text.indexOf('"', from);
  // A doubled quotation mark is part of the content.
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}
