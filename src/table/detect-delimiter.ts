import { DELIMITERS, type Delimiter } from './dialect.ts';
import { findHeader, type GivenHeader, HEADER_WITHIN_LINES } from './find-header.ts';
import { makeRecordReader, type RawRecord } from './records.ts';

/** Excel's declaration of the delimiter, on a first line of its own. */
const SEP_LINE = /^"?sep=([,;\t|])"? *$/i;

/** The delimiter that a `sep=;` line declares; null for other lines. */
export function sepLineOf(line: string): Delimiter | null {
  const sign = SEP_LINE.exec(line)?.[1];
  return DELIMITERS.find((one) => one === sign) ?? null;
}

/**
 * Detects the delimiter: the one with the most known columns in a header among the first lines; else the one with which
 * most lines have equally many cells; else a comma. Titles above the header do not count, because their commas belong
 * to sentences.
 *
 * @param start the beginning of the file.
 */
export function detectDelimiter(start: string, { headerLine, vocabulary }: GivenHeader): Delimiter {
  const text = start.slice(0, LOOKED_AT);
  // Most files have a complete header on their first line, so this test comes first.
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

/** The records that may be the header: those that start within 20 lines from `from`. */
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

/** Enough for the header and some lines. It avoids reading a header of a million columns four times. */
const LOOKED_AT = 32 * 1024;

/** The most common width of records with several cells, and how many records have it. */
function commonWidth(records: readonly RawRecord[]): { width: number; alike: number } {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  counts.delete(1);
  const [[width, alike] = [1, 0]] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  return { width, alike };
}

/** The first record; undefined if the text has none. */
function firstRecord(start: string, delimiter: Delimiter, from = 1): RawRecord | undefined {
  return firstRecords(start, delimiter, from).next().value ?? undefined;
}
