import { DELIMITERS, type Delimiter } from './dialect.ts';
import { findHeader, type GivenHeader, HEADER_WITHIN_LINES } from './find-header.ts';
import { makeRecordReader, type RawRecord } from './records.ts';

/** Excel's own way of saying it, in a first line of its own. */
const SEP_LINE = /^"?sep=([,;\t|])"? *$/i;

/** The delimiter that a `sep=;` line names, or null for any other line. */
export function sepLineOf(line: string): Delimiter | null {
  const sign = SEP_LINE.exec(line)?.[1];
  return DELIMITERS.find((one) => one === sign) ?? null;
}

/**
 * Finds what separates the cells: the sign by which the most columns of the header are known, wherever that is among the first
 * lines; else the one by which most lines have equally many cells; a comma where none does. Titles above the header do not count: their
 * commas are a sentence's.
 *
 * @param start the beginning of the file.
 */
export function detectDelimiter(start: string, { headerLine, vocabulary }: GivenHeader): Delimiter {
  const text = start.slice(0, LOOKED_AT);
  // Most files have a sound header on their first line, and need no more than a look at that.
  const sound = DELIMITERS.find((delimiter) => {
    const record = firstRecord(text, delimiter, headerLine);
    return record && vocabulary.judgeHeader(record).isComplete;
  });
  if (sound) return sound;
  const scored = DELIMITERS.map((delimiter) => {
    const records = [...firstRecords(text, delimiter, headerLine)];
    const header = records[headerLine === undefined ? findHeader(records, vocabulary) : 0];
    const known = header && header.cells.length > 1 ? vocabulary.judgeHeader(header).score : 0;
    const { width, alike } = commonWidth(records);
    return { delimiter, known, width, alike };
  }).filter(({ known, width }) => known > 0 || width > 1);
  scored.sort((a, b) => b.known - a.known || b.alike - a.alike || b.width - a.width);
  return scored[0]?.delimiter ?? ',';
}

/** The records among which the header is looked for, at the first 20 lines from where it may be. */
export function* firstRecords(start: string, delimiter: Delimiter, from = 1): Generator<RawRecord> {
  const reader = makeRecordReader(delimiter);
  reader.startAt(from);
  reader.feed(start);
  reader.end();
  for (let record = reader.next(); record; record = reader.next()) {
    if (record.line >= from + HEADER_WITHIN_LINES) break;
    yield record;
  }
}

/** Enough for the header and some lines; a header of a million columns is not gone through four times. */
const LOOKED_AT = 32 * 1024;

/** How wide most records of several cells are, and how many are. */
function commonWidth(records: readonly RawRecord[]): { width: number; alike: number } {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  counts.delete(1);
  const [[width, alike] = [1, 0]] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  return { width, alike };
}

/** The first of these records; undefined in a text without any. */
function firstRecord(start: string, delimiter: Delimiter, from = 1): RawRecord | undefined {
  return firstRecords(start, delimiter, from).next().value ?? undefined;
}
