import { findQuoteFault, hasOddQuotes, type QuoteFault, readLines, readSound } from './cells.ts';
import { type Delimiter, delimiterWord } from './dialect.ts';
import { LINE_BREAK, MAX_RECORD_LENGTH, makePhysicalLines, type PhysicalLine } from './physical-lines.ts';

export type RawRecord = {
  /** The physical line on which the record starts, from 1. */
  line: number;
  cells: string[];
  /** Why the record is unusable, and the cell with the fault; null for the whole record. `cells` is then only a guess. */
  fault: { cell: number | null; message: string } | null;
  /** The record's text; only the start of a line that is too long. Undefined for a workbook. */
  text?: string;
  /** True for the last record of a text that ends without a line break. */
  isUnended?: true;
  /**
   * For a sheet's row only. Cells after its last filled one are empty. `numbers`: the columns of cells that are stored
   * as numbers, whose decimal separator is a point. `hidden`: the row is invisible in the sheet. `shown`: what the
   * sheet shows besides such numbers, by column. `struck`: the columns of cells through which a line goes.
   */
  sheet?: {
    numbers: readonly number[];
    hidden?: boolean;
    shown?: ReadonlyMap<number, ShownNumber> | undefined;
    struck?: readonly number[] | undefined;
  };
};

/** What a sheet shows of a number besides the number. */
export type ShownNumber = {
  /** The currency of the number format: its sign, code or name. */
  currency?: string;
  /** What the cell holds and what the sheet shows, where the two differ: `50 (shown as 50,000)`. */
  text?: string;
  /** Whether the two are equal as amounts: only leading zeros, or digits after the fifteenth, differ. */
  isSameAmount?: boolean;
  /** Whether the cell is a date to the spreadsheet. Only `text` is given then. */
  isDate?: boolean;
};

/** A record's text: that of its file, or the cells of a sheet's row, with the currencies that the sheet shows beside numbers. */
export function textOfRecord({ text, cells, sheet }: RawRecord, delimiter: Delimiter): string {
  if (text !== undefined) return text;
  const shown = cells.map((cell, at) => [cell, sheet?.shown?.get(at)?.currency].filter(Boolean).join(' '));
  return shown.join(delimiter);
}

/** What the header tells about the records below it. It distinguishes an intended line break from a lost quotation mark. */
export type Shape = {
  /** Whether a record with these cells is as wide as the header. */
  fits(cells: readonly string[]): boolean;
  /** Whether a cell of this column may contain a line break. */
  mayBreak(column: number): boolean;
  /** Whether a physical line within a quoted cell could be a record itself. */
  standsAlone(line: string): boolean;
};

/**
 * Finds CSV records (RFC 4180), has csv-parse read them, and numbers them by physical line. Lines that are blank, have
 * only delimiters, or are rules of dashes are skipped, but counted.
 *
 * Parsers do not find the end of a broken record: a quotation mark that is never closed would swallow the good lines below it. So only the
 * physical line that opens it is rejected, and reading continues on the next one. The same happens if the mark is closed further below, but
 * the content is not credible for `Shape`. csv-parse gets only sound lines and sound records of several lines.
 *
 * If a credible record contains a line that could be a record itself, nobody can say which was meant. Then all of its
 * lines are one broken record. Its last line, which closes the cell, counts only if the first line could be a record as
 * well: wherever a first cell is split in two, the last line looks like a record.
 *
 * The work is linear even if every line is broken. Only a line with an odd number of quotation marks leaves a cell
 * open, and a search from there ends at the next such line. So no two searches cover the same text.
 */
export function makeRecordReader(delimiter: Delimiter) {
  const lines = makePhysicalLines();
  let ready: RawRecord[] = [];
  let taken = 0;
  let firstLine = 1;

  /** The record of several lines that starts with an open cell; null if there is no credible one. */
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

  /** Reads lines up to the first record that needs more than one; null if there are none. */
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
  return {
    /** Skips the physical lines before this one. To be called before the first `next`. */
    startAt,
    feed: lines.feed,
    /** Marks the end of the text. */
    end: lines.end,
    /** The next record; null if the text so far has none. Without a shape, it reads no multi-line record ahead. */
    next,
  };
}

/** Lines that csv-parse reads in one call, since a call costs as much as some five lines. 1,024 were no faster and took 30 MB more. */
const BATCH_LINES = 256;

/** The records of lines that are one record each, including broken ones, without blank ones. */
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
  const last = read.at(-1);
  if (last && batch.at(-1)?.isUnended) last.isUnended = true;
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

/** Whether a record is blank or a line of dashes. If the first cell is filled, as nearly always, the others need no test for blanks. */
function isBlank(cells: string[]): boolean {
  const first = cells[0]?.trim() ?? '';
  if (first === '') return cells.every((cell) => BLANK_OR_RULE.test(cell.trim()));
  return RULE_STARTS.includes(first[0] ?? '') && RULE.test(cells.join(''));
}

/** The characters of which lists that were made for printing, such as SAP's, draw rules between lines. */
const RULE_STARTS = '-=_+';
const RULE = /^[\s=_+-]{10,}$/;

/** A cell of a blank record, or of the rule below the header of a Markdown table, each line of which begins with a delimiter. */
const BLANK_OR_RULE = /^(?::?-{3,}:?)?$/;

/** Whether a record of several lines is meant as one. False if it rather comes from a lost quotation mark and an unrelated later one. */
function isCredible(cells: string[], shape: Shape): boolean {
  return shape.fits(cells) && !cells.some((cell, column) => LINE_BREAK.test(cell) && !shape.mayBreak(column));
}

/** The fault of a record of several lines if one of them could be a record itself; otherwise null. */
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
