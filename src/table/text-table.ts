import { stat } from 'node:fs/promises';
import type { ByteSource } from './bytes.ts';
import { detectDelimiter, firstRecords, sepLineOf } from './detect-delimiter.ts';
import { type Delimiter, type Dialect, encodingNamed, PLAIN_DIALECT } from './dialect.ts';
import { makeDecoder } from './encodings/decoders.ts';
import { detectEncoding, type FoundEncoding } from './encodings/detect-encoding.ts';
import { aboveOf, findHeader } from './find-header.ts';
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
  const { headerLine, above, below } = placeOfHeader(start, dialect, file);
  const records = makeRecordReader(dialect.delimiter);
  records.startAt(headerLine);
  records.feed(start);
  let ended = false;

  async function more(): Promise<boolean> {
    if (ended) return false;
    const chunk = await bytes.read();
    records.feed(chunk ? decoder.decode(chunk) : decoder.end());
    if (chunk) return true;
    ended = true;
    records.end();
    // The last record may have waited for the end.
    return true;
  }

  const header = await nextRecord({ next: records.next, more });
  const unusable = headerLineProblem(header, file);
  return { header, above, below, dialect, rereadable, unusable, next: records.next, more, close: bytes.close };
}

/** Finds the header's line and the text above it. */
function placeOfHeader(start: string, { delimiter, sepLine }: Dialect, { headerLine, vocabulary }: TableFile) {
  const from = sepLine ? 2 : 1;
  const [first, second] = firstTwo(start, delimiter, from);
  if (headerLine === undefined && first && vocabulary.judgeHeader(first).isComplete) {
    return { headerLine: first.line, above: null, below: second };
  }
  const records = [...firstRecords(start, delimiter, from)];
  const header = records[headerLine === undefined ? findHeader(records, vocabulary) : -1];
  const line = headerLine ?? header?.line ?? from;
  const below = records.find((record) => record.line > line);
  return { headerLine: line, above: aboveOf(records, { from, header: line }), below };
}

function firstTwo(start: string, delimiter: Delimiter, from: number): (RawRecord | undefined)[] {
  const records = firstRecords(start, delimiter, from);
  return [records.next().value ?? undefined, records.next().value ?? undefined];
}

/** A byte order mark overrides a given encoding, as in browsers (Encoding Standard, section 6). */
async function encodingOf(file: TableFile, start: Buffer, rereadable: boolean): Promise<FoundEncoding> {
  const given = file.encoding === undefined ? undefined : encodingNamed(file.encoding);
  // A given encoding needs no pass over the whole file.
  const whole = rereadable && given === undefined;
  const found = await detectEncoding({ path: file.path, start, rereadable: whole, signal: file.signal });
  return given === undefined || found.bom ? found : { encoding: given, bom: false, doubt: null };
}

/** A pipe can be read only once, and so can a kernel file, which has no size. */
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

/** The first line break outside quotes. Spreadsheets write the breaks within a quoted cell differently. */
function lineBreakOf(start: string): Dialect['lineBreak'] {
  let isQuoted = false;
  for (const [sign] of start.matchAll(/"|\r\n|\r|\n/g)) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted) return sign as Dialect['lineBreak'];
  }
  return (LINE_BREAK.exec(start)?.[0] ?? PLAIN_DIALECT.lineBreak) as Dialect['lineBreak'];
}
