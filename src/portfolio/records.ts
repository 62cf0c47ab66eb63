import { type ParsedCells, parseCells, type QuoteFault, splitPlain } from './cells.ts';
import { type Delimiter, delimiterWord } from './dialect.ts';
import { LINE_BREAK, MAX_RECORD_LENGTH, makePhysicalLines, type PhysicalLine } from './physical-lines.ts';

/** One record of the file as it stands there. */
export type RawRecord = {
  /** The physical line on which it starts; the file's first is 1. */
  line: number;
  cells: string[];
  /** Why it is no record, and at which cell (null: all of it); `cells` then holds what could be made of it. */
  fault: { cell: number | null; message: string } | null;
};

/** What the header says about the lines below it: by this a line break that was meant is told from a lost quotation mark. */
export type Shape = {
  /** Whether a record of these cells is as wide as the header, as on a line of its own. */
  fits(cells: readonly string[]): boolean;
  /** Whether a cell of this column may hold a line break. */
  mayBreak(column: number): boolean;
  /** Whether a physical line inside a quoted cell reads as a record of its own. */
  standsAlone(line: string): boolean;
};

/** Cuts a text that comes in pieces into records. */
export type RecordReader = {
  feed(text: string): void;
  /** No text comes any more. */
  end(): void;
  /** The next record; null when there is none left in the text fed so far. */
  next(shape?: Shape): RawRecord | null;
};

/**
 * Reads CSV records (RFC 4180) and names each by its physical line. Lines that are blank, or hold nothing but
 * delimiters as spreadsheets leave them behind, are passed over and counted.
 *
 * It is written here since no parser at hand goes on after a quotation mark that is never closed: that swallows the
 * good lines below it. Here the physical line that opens it is given up alone and reading goes on at the next one.
 * The same is done when the quotation mark is closed somewhere below but what it holds is not credible for `Shape`.
 *
 * The work is linear even if every line is broken. A line leaves a cell open only if it has an odd number of quotation
 * marks, and a search from there ends at the next such line at the latest: no two searches cover the same text.
 */
export function makeRecordReader(delimiter: Delimiter): RecordReader {
  const lines = makePhysicalLines();

  /** The record of several lines that begins with a cell left open; null if there is none to believe in. */
  function longRecord({ line, text: start }: PhysicalLine, parsed: ParsedCells, shape?: Shape) {
    let text = start;
    let fault = parsed.fault;
    const cells = [...parsed.cells];
    // Once for each cell that is left open at the end of a line.
    while (fault?.kind === 'unclosed') {
      const longer = lines.throughQuote(fault.at);
      if (longer === null || longer === 'unsure') return longer;
      text = longer;
      fault = parseCells(text, delimiter, { cells, fault }).fault;
    }
    if (fault || (shape && !isCredible(cells, text, shape))) return null;
    lines.pass(text);
    return { line, cells, fault: null };
  }

  function next(shape?: Shape): RawRecord | null {
    for (let due = lines.peek(); due; due = lines.peek()) {
      if (!due.whole) {
        lines.pass();
        return tooLong(due, delimiter);
      }
      if (!due.text.includes('"')) {
        lines.pass();
        const cells = splitPlain(due.text, delimiter);
        if (isBlank(cells)) continue;
        return { line: due.line, cells, fault: null };
      }
      const { cells, fault } = parseCells(due.text, delimiter);
      if (fault?.kind === 'unclosed') {
        const long = longRecord(due, { cells, fault }, shape);
        if (long) return long === 'unsure' ? null : long;
      }
      lines.pass();
      if (!fault && isBlank(cells)) continue;
      return fault ? broken(due, cells, fault, delimiter) : { line: due.line, cells, fault };
    }
    return null;
  }

  return { feed: lines.feed, end: lines.end, next };
}

const QUOTE_FAULTS: Record<QuoteFault['kind'], string> = {
  unclosed:
    'The quotation mark that opens this cell is never closed: close it at the end of the cell, or take it away.',
  stray:
    'A quotation mark stands inside this cell: write it twice and put the whole cell in quotation marks, like "5"" pipes".',
  trailing:
    'Text follows the closing quotation mark of this cell: put a DELIMITER there, or write quotation marks inside a cell twice.',
};

/** The physical line alone, from the cell with the fault on cut as it stands, so that it can be seen and mended. */
function broken({ line, text }: PhysicalLine, sound: string[], fault: QuoteFault, delimiter: Delimiter): RawRecord {
  const cells = [...sound, ...splitPlain(text.slice(fault.at), delimiter)];
  const message = QUOTE_FAULTS[fault.kind].replace('DELIMITER', delimiterWord(delimiter));
  return { line, cells, fault: { cell: sound.length, message } };
}

function tooLong({ line, text }: PhysicalLine, delimiter: Delimiter): RawRecord {
  const message = `The line is longer than ${MAX_RECORD_LENGTH} characters: a line break is missing, or this is not a CSV file.`;
  return { line, cells: splitPlain(text, delimiter), fault: { cell: null, message } };
}

/** The first cell is filled as a rule, and then the others need not be looked at. */
function isBlank(cells: string[]): boolean {
  return cells[0]?.trim() === '' && cells.every((cell) => cell.trim() === '');
}

/** False when a record of several lines looks like a lost quotation mark that some later one happens to answer. */
function isCredible(cells: string[], text: string, shape: Shape): boolean {
  if (!shape.fits(cells)) return false;
  if (cells.some((cell, column) => LINE_BREAK.test(cell) && !shape.mayBreak(column))) return false;
  return !text
    .split(LINE_BREAK)
    .slice(1)
    .some((line) => shape.standsAlone(line));
}
