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
 * Reads a table of text up to its header: bytes → text → records, in the dialect that is given or found.
 *
 * @param bytes the file, of which `first` was read; it is closed with the table.
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` for an encoding that there is not.
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
    // The last record may have waited for this end.
    return true;
  }

  const header = await nextRecord({ next: records.next, more });
  const unusable = headerLineProblem(header, file);
  return { header, above, below, dialect, rereadable, unusable, next: records.next, more, close: bytes.close };
}

/** On which line to look for the header, and what is above it. */
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

/** A byte order mark is stronger than what somebody says, as in browsers (Encoding Standard, section 6). */
async function encodingOf(file: TableFile, start: Buffer, rereadable: boolean): Promise<FoundEncoding> {
  const given = file.encoding === undefined ? undefined : encodingNamed(file.encoding);
  // What was said is not looked for through the whole file.
  const whole = rereadable && given === undefined;
  const found = await detectEncoding({ path: file.path, start, rereadable: whole, signal: file.signal });
  return given === undefined || found.bom ? found : { encoding: given, bom: false, doubt: null };
}

/** A pipe, or one of the kernel's own files, which have no size, gives its bytes only once. */
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

/** What ends the first line: not what breaks a cell of it in two, which a spreadsheet writes in another way. */
function lineBreakOf(start: string): Dialect['lineBreak'] {
  let isQuoted = false;
  for (const [sign] of start.matchAll(/"|\r\n|\r|\n/g)) {
    if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted) return sign as Dialect['lineBreak'];
  }
  return (LINE_BREAK.exec(start)?.[0] ?? PLAIN_DIALECT.lineBreak) as Dialect['lineBreak'];
}
