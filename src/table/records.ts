import { readLines, readSound } from './cells.ts';
import { type Delimiter, delimiterWord } from './dialect.ts';
import { LINE_BREAK, MAX_RECORD_LENGTH, makePhysicalLines, type PhysicalLine } from './physical-lines.ts';
import { findQuoteFault, hasOddQuotes, type QuoteFault } from './quote-fault.ts';

/** One record of the file as it is written there. */
export type RawRecord = {
  /** The physical line on which it starts; the file's first is 1. */
  line: number;
  cells: string[];
  /** Why it is no record, and at which cell (null: all of it); `cells` is then what could be made of it. */
  fault: { cell: number | null; message: string } | null;
  /** Its text as the file has it, of a line that is too long the start; a workbook has none. */
  text?: string;
  /**
   * Only for a sheet's row, which is never cut off: cells behind its last filled one are empty. `numbers` are the columns of
   * cells that are numbers by their type, so a point marks their decimals. `hidden`: nobody sees it who looks at the sheet.
   */
  sheet?: { numbers: readonly number[]; hidden?: boolean };
};

/** What the header says about the lines below it: by this a line break that was meant is told from a lost quotation mark. */
export type Shape = {
  /** Whether a record of these cells is as wide as the header, as on a line of its own. */
  fits(cells: readonly string[]): boolean;
  /** Whether a cell of this column may have a line break in it. */
  mayBreak(column: number): boolean;
  /** Whether a physical line inside a quoted cell reads as a record of its own. */
  standsAlone(line: string): boolean;
};

/** Cuts a text that comes in pieces into records. */
type RecordReader = {
  /** Passes over the physical lines above this one, whatever is there; said before the first record is asked for. */
  startAt(line: number): void;
  feed(text: string): void;
  /** No text comes any more. */
  end(): void;
  /** The next record; null when there is none left in the text fed so far. Without a shape no other of several lines is read ahead. */
  next(shape?: Shape): RawRecord | null;
};

/**
 * Finds CSV records (RFC 4180), lets csv-parse read them, and names each by its physical line. Lines that are blank, or
 * have nothing but delimiters as spreadsheets leave them behind, or are rules of dashes, are passed over and counted.
 *
 * What is found here, since no parser at hand does it, is where a broken record ends: a quotation mark that is never
 * closed would swallow the good lines below it. So the physical line that opens it is given up alone and reading goes on
 * at the next one. The same is done when the quotation mark is closed somewhere below but what it contains is not credible
 * for `Shape`. Only whole lines, and records over several lines that are whole, reach csv-parse.
 *
 * Where such a record is credible, but for a line inside it that reads as a record of its own, nobody can say which of
 * the two was meant, and neither is taken: all its lines are one broken record. Its last line, which closes the cell, reads
 * so behind every first cell that is broken in two; it counts only where the first line could stand for itself as well.
 *
 * The work is linear even if every line is broken. A line leaves a cell open only if it has an odd number of quotation
 * marks, and a search from there ends at the next such line at the latest: no two searches cover the same text.
 */
export function makeRecordReader(delimiter: Delimiter): RecordReader {
  const lines = makePhysicalLines();
  let ready: RawRecord[] = [];
  let taken = 0;
  let firstLine = 1;

  /** The record of several lines that begins with a cell left open; null if there is none to believe in. */
  function longRecord({ line, text: start }: PhysicalLine, shape?: Shape) {
    if (findQuoteFault(start, delimiter)?.kind !== 'unclosed') return null;
    const text = lines.throughQuotes();
    if (text === null || text === 'unsure') return text;
    if (findQuoteFault(text, delimiter)) return null;
    const [cells = []] = readSound([text], delimiter);
    if (shape && !isCredible(cells, shape)) return null;
    lines.pass(text);
    return { line, cells, text, fault: shape ? claimedTwice({ line, cells, text }, shape) : null };
  }

  /** Reads some of the lines that are due, up to the first record that is more than a line; null when there is none. */
  function readOn(most: number, shape?: Shape): RawRecord[] | null {
    const batch: PhysicalLine[] = [];
    let last: RawRecord | null = null;
    for (let due = lines.peek(); due && due.line < firstLine; due = lines.peek()) lines.pass();
    while (!last && batch.length < most) {
      const due = lines.peek();
      const isOdd = due?.whole && hasOddQuotes(due.text);
      if (isOdd && !shape && batch.length > 0) break;
      const long = isOdd ? longRecord(due, shape) : null;
      if (!due || long === 'unsure') break;
      if (!long) lines.pass();
      if (due.whole && !long) batch.push(due);
      else last = long ?? tooLong(due, delimiter);
    }
    if (batch.length === 0) return last && [last];
    const records = readBatch(batch, delimiter);
    return last ? [...records, last] : records;
  }

  function next(shape?: Shape): RawRecord | null {
    for (let most = shape ? BATCH_LINES : 1; taken === ready.length; most = BATCH_LINES) {
      const records = readOn(most, shape);
      if (!records) return null;
      ready = records;
      taken = 0;
    }
    taken += 1;
    return ready[taken - 1] ?? null;
  }

  const startAt = (line: number) => {
    firstLine = line;
  };
  return { startAt, feed: lines.feed, end: lines.end, next };
}

/** A call of csv-parse costs by itself as much as some five of the lines in it. 1,024 were no faster and took 30 MB more. */
const BATCH_LINES = 256;

/** The records of lines that each are one, broken ones too; without those that are blank. */
function readBatch(batch: PhysicalLine[], delimiter: Delimiter): RawRecord[] {
  const texts = batch.map(({ text }) => text);
  const read = readLines(texts, delimiter).map(
    ({ cells, fault }, place): RawRecord => ({
      line: batch[place]?.line ?? 0,
      cells,
      text: texts[place] ?? '',
      fault: fault && { cell: fault.cell, message: faultMessage(fault.kind, delimiter) },
    }),
  );
  return read.filter(({ cells, fault }) => fault || !isBlank(cells));
}

const QUOTE_FAULTS: Record<QuoteFault['kind'], string> = {
  unclosed: 'The quotation mark that opens this cell is never closed: close it at the end of the cell, or remove it.',
  stray:
    'There is a quotation mark inside this cell: write it twice and put the whole cell in quotation marks, like "5"" pipes".',
  trailing:
    'Text follows the closing quotation mark of this cell: put a DELIMITER between them, or write quotation marks inside a cell twice.',
};

function faultMessage(kind: QuoteFault['kind'], delimiter: Delimiter): string {
  return QUOTE_FAULTS[kind].replace('DELIMITER', delimiterWord(delimiter));
}

function tooLong({ line, text }: PhysicalLine, delimiter: Delimiter): RawRecord {
  const message = `The line is longer than ${MAX_RECORD_LENGTH} characters: a line break is missing, or this is not a CSV file.`;
  return { line, cells: text.split(delimiter), text: `${text}…`, fault: { cell: null, message } };
}

/** The first cell is filled as a rule, and then the others need not be looked at. */
function isBlank(cells: string[]): boolean {
  const first = cells[0]?.trim() ?? '';
  if (first === '') return cells.every((cell) => cell.trim() === '');
  return RULE_STARTS.includes(first[0] ?? '') && RULE.test(cells.join(''));
}

/** What lists that were made to be printed draw between their lines, as SAP's do: nothing but dashes. */
const RULE_STARTS = '-=_+';
const RULE = /^[\s=_+-]{10,}$/;

/** False when a record of several lines looks like a lost quotation mark that some later one happens to answer. */
function isCredible(cells: string[], shape: Shape): boolean {
  return shape.fits(cells) && !cells.some((cell, column) => LINE_BREAK.test(cell) && !shape.mayBreak(column));
}

/** The fault of a record of several lines, one of which could be a record as well; null where none could. */
function claimedTwice(
  { line, cells, text }: Required<Pick<RawRecord, 'line' | 'cells' | 'text'>>,
  shape: Shape,
): RawRecord['fault'] {
  const [first = '', ...below] = text.split(LINE_BREAK);
  const doubtful = shape.standsAlone(first) ? below : below.slice(0, -1);
  const inner = doubtful.findIndex((one) => shape.standsAlone(one));
  if (inner === -1) return null;
  const [own, last] = [line + 1 + inner, line + below.length];
  const message = `This cell contains line ${own}, which reads as a line of its own, so none of lines ${line} to ${last} is taken: close the quotation mark where the cell ends, or take the line out of the cell.`;
  return { cell: cells.findIndex((cell) => LINE_BREAK.test(cell)), message };
}
