import { stat } from 'node:fs/promises';
import type { ByteSource } from './bytes.ts';
import { DELIMITERS, type Delimiter, type Dialect, encodingNamed, PLAIN_DIALECT } from './dialect.ts';
import { makeDecoder } from './encodings/decoders.ts';
import { detectEncoding, type FoundEncoding } from './encodings/detect-encoding.ts';
import { aboveOf, findHeader, type GivenHeader, HEADER_WITHIN_LINES } from './find-header.ts';
import { LINE_BREAK } from './physical-lines.ts';
import { makeRecordReader, type RawRecord } from './records.ts';
import { emptyTable, headerLineProblem, nextRecord, type Table, type TableFile } from './table.ts';

/**
 * Reads a text table up to its header: bytes → text → records, in the given or detected dialect.
 *
 * @param bytes the file, of which `first` was read; closing the table closes it.
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` for an unknown encoding.
 */
export async function readTextTable(file: TableFile, bytes: ByteSource, first: Buffer): Promise<Table> {
  const rereadable = await isRereadable(file.path);
  const found = await encodingOf(file, first, rereadable);
  if (found.doubt) return emptyTable(found.doubt, bytes.close);
  const decoder = makeDecoder(found.encoding);
  const start = decoder.decode(first);
  const dialect = { ...dialectOf(start, file), encoding: found.encoding, bom: found.bom };
  const { headerLine, ...around } = placeOfHeader(start, dialect, file);
  const records = makeRecordReader(dialect.delimiter);
  records.startAt(headerLine);
  records.feed(start);
  let ended = false;
  let readBytes = first.length;

  async function more(): Promise<boolean> {
    if (ended) return false;
    const chunk = await bytes.read();
    readBytes += chunk?.length ?? 0;
    records.feed(chunk ? decoder.decode(chunk) : decoder.end());
    if (chunk) return true;
    ended = true;
    records.end();
    // True once more at the end of the text, since only now the last record is complete.
    return true;
  }

  const header = await nextRecord({ next: records.next, more });
  const unusable = headerLineProblem(header, file);
  const { next } = records;
  const table = { header, ...around, dialect, rereadable, unusable, next, more, close: bytes.close };
  return { ...table, readBytes: () => readBytes };
}

/** The form of a file's first line `sep=;`, by which Excel is told the delimiter. */
const SEP_LINE = /^"?sep=([,;\t|])"? *$/i;

/** The delimiter that a `sep=;` line declares; null for other lines. */
export function sepLineOf(line: string): Delimiter | null {
  const sign = SEP_LINE.exec(line)?.[1];
  return DELIMITERS.find((one) => one === sign) ?? null;
}

/**
 * Detects the delimiter: the one with the most known columns in a header among the first lines; else the one with which most lines have
 * equally many cells; else a comma. Titles above the header do not count, because their commas belong to sentences.
 *
 * @param start the beginning of the file.
 */
export function detectDelimiter(start: string, { headerLine, vocabulary }: GivenHeader): Delimiter {
  const text = start.slice(0, LOOKED_AT);
  // Most files have a complete header on their first line, so this test comes first.
  const sound = DELIMITERS.find((delimiter) => {
    const record = firstRecords(text, delimiter, headerLine).next().value;
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
function* firstRecords(start: string, delimiter: Delimiter, from = 1): Generator<RawRecord> {
  const reader = makeRecordReader(delimiter);
  reader.startAt(from);
  reader.feed(start);
  reader.end();
  for (let record = reader.next(); record; record = reader.next()) {
    if (record.line >= from + HEADER_WITHIN_LINES) break;
    yield record;
  }
}

/** Finds the header's line and the text above it. */
function placeOfHeader(start: string, { delimiter, sepLine }: Dialect, { headerLine, vocabulary }: TableFile) {
  const from = sepLine ? 2 : 1;
  const [first, second] = firstTwo(start, delimiter, from);
  if (headerLine === undefined && first && vocabulary.judgeHeader(first).isComplete) {
    return { headerLine: first.line, above: null, first: [], below: second };
  }
  const records = [...firstRecords(start, delimiter, from)];
  const header = records[headerLine === undefined ? findHeader(records, vocabulary) : -1];
  const line = headerLine ?? header?.line ?? from;
  const below = records.find((record) => record.line > line);
  const names = records.find((record) => record.line === line)?.cells ?? [];
  const width = names.filter((name) => name.trim() !== '').length;
  const above = aboveOf(records, { from, header: line, width, vocabulary });
  return { headerLine: line, above, first: headerLine === undefined ? records : [], below };
}

function firstTwo(start: string, delimiter: Delimiter, from: number): (RawRecord | undefined)[] {
  const records = firstRecords(start, delimiter, from);
  return [records.next().value ?? undefined, records.next().value ?? undefined];
}

/**
 * The file's encoding: the given one, else the detected one. A byte order mark overrides a given encoding, as in browsers (Encoding
 * Standard, section 6).
 */
async function encodingOf(file: TableFile, start: Buffer, rereadable: boolean): Promise<FoundEncoding> {
  const given = file.encoding === undefined ? undefined : encodingNamed(file.encoding);
  // A given encoding needs no pass over the whole file.
  const whole = rereadable && given === undefined;
  const found = await detectEncoding({ path: file.path, start, rereadable: whole, signal: file.signal });
  return given === undefined || found.bom ? found : { encoding: given, bom: false, doubt: null };
}

/** Whether a file can be read twice. A pipe cannot, nor can a kernel file, which has no size. */
async function isRereadable(path: string): Promise<boolean> {
  const found = await stat(path);
  return found.isFile() && found.size > 0;
}

function dialectOf(start: string, given: TableFile): Pick<Dialect, 'delimiter' | 'sepLine' | 'lineBreak'> {
  const [firstLine = ''] = start.split(LINE_BREAK, 1);
  const said = sepLineOf(firstLine);
  const delimiter = given.delimiter ?? said ?? detectDelimiter(start, given);
  return { delimiter, sepLine: said !== null, lineBreak: lineBreakOf(start) };
}

/** The line break that ends records: the first one outside of quotes. Spreadsheets write the breaks within a quoted cell differently. */
function lineBreakOf(start: string): Dialect['lineBreak'] {
  let isQuoted = false;
  for (const [sign] of start.matchAll(/"|\r\n|\r|\n/g)) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted) return sign as Dialect['lineBreak'];
  }
  return (LINE_BREAK.exec(start)?.[0] ?? PLAIN_DIALECT.lineBreak) as Dialect['lineBreak'];
}

/** Characters at a file's beginning from which the delimiter is detected: enough for the header and some lines, even of a wide file. */
const LOOKED_AT = 32 * 1024;

/** The most common width of records with several cells, and how many records have it. */
function commonWidth(records: readonly RawRecord[]): { width: number; alike: number } {
  const counts = new Map<number, number>();
  for (const { cells } of records) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1);
  counts.delete(1);
  const [[width, alike] = [1, 0]] = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]);
  return { width, alike };
}
