import { stat } from 'node:fs/promises';
import { type Above, aboveOf, findHeader, type HeaderHints, isHeader } from '../portfolio/columns/find-header.ts';
import { type ByteSource, openBytes } from './bytes.ts';
import { makeDecoder } from './decoders.ts';
import { detectDelimiter, firstRecords, sepLineOf } from './detect-delimiter.ts';
import { detectEncoding, type FoundEncoding } from './detect-encoding.ts';
import { type Delimiter, type Dialect, encodingNamed, type GivenDialect, PLAIN_DIALECT } from './dialect.ts';
import { foreignTableOf } from './foreign-tables.ts';
import { LINE_BREAK } from './physical-lines.ts';
import { makeRecordReader, type RawRecord, type Shape } from './records.ts';
import { wrongKindOf } from './wrong-kinds.ts';

/** An open CSV file, read up to its header. */
export type Table = {
  /** The record that names the columns; null in a file without any record. */
  header: RawRecord | null;
  /** What stands above it and is not read; null where nothing does. */
  above: Above | null;
  /** The record below it, as far as it was looked at to find it; left out where nothing was read. */
  below?: RawRecord | undefined;
  /** How it is written, as given or as found. */
  dialect: Dialect;
  /** Whether the file can be opened once more; a pipe cannot. */
  rereadable: boolean;
  /** Why the file cannot be read as a table, seen before its first record; null otherwise. */
  unusable: string | null;
  /** What there is beside the table and is not read, a sentence each; nothing if it is left out. */
  leftOut?: string[];
  /** The next record in what was read so far; null when more has to be read first, see `more`. */
  next(shape?: Shape): RawRecord | null;
  /** Reads on; false when there is nothing left at all. @throws LimitlineError `FILE`, `STOPPED` */
  more(): Promise<boolean>;
  close(): Promise<void>;
};

export type TableFile = {
  path: string;
  /** What a workbook's faults call it, where `path` is a copy of ours that nobody knows. */
  givenPath?: string | undefined;
  signal?: AbortSignal | undefined;
  /** What a person says of the header's names, by which it is told from the lines above it. */
  mapping?: Partial<HeaderHints> | undefined;
} & GivenDialect;

/**
 * Opens a CSV file: bytes → text → records, in the dialect that is given or found.
 *
 * @throws LimitlineError `FILE`, `STOPPED`; `USAGE` for an encoding that there is not.
 */
export async function openTable(file: TableFile): Promise<Table> {
  const bytes = await openBytes(file);
  try {
    return await readStart(file, bytes);
  } catch (error) {
    await bytes.close();
    throw error;
  }
}

/**
 * Goes through a table once, keeping nothing: whoever reads it again will not meet a fault in the middle.
 *
 * @throws LimitlineError `FILE`, `STOPPED`
 */
export async function readToEnd(file: TableFile): Promise<void> {
  const table = await openTable(file);
  try {
    do while (table.next());
    while (await table.more());
  } finally {
    await table.close();
  }
}

async function readStart(file: TableFile, bytes: ByteSource): Promise<Table> {
  const first = await bytes.read();
  if (first?.subarray(0, ZIP.length).equals(ZIP)) {
    const sheet = await readSheet(file, bytes);
    if (sheet) return sheet;
  }
  const wrongKind = first ? (foreignTableOf(first) ?? wrongKindOf(first)) : null;
  if (wrongKind || !first) return emptyTable(wrongKind, bytes.close);
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

  async function record(): Promise<RawRecord | null> {
    for (;;) {
      const next = records.next();
      if (next || !(await more())) return next;
    }
  }

  const header = await record();
  const unusable = notThere(header, file);
  return { header, above, below, dialect, rereadable, unusable, next: records.next, more, close: bytes.close };
}

/** On which line to look for the header, and what stands above it. */
function placeOfHeader(start: string, { delimiter, sepLine }: Dialect, { headerLine, mapping }: TableFile) {
  const from = sepLine ? 2 : 1;
  const [first, second] = firstTwo(start, delimiter, from);
  if (headerLine === undefined && isHeader(first, mapping)) {
    return { headerLine: first?.line ?? from, above: null, below: second };
  }
  const records = [...firstRecords(start, delimiter, from)];
  const header = records[headerLine === undefined ? findHeader(records, mapping) : -1];
  const line = headerLine ?? header?.line ?? from;
  const below = records.find((record) => record.line > line);
  return { headerLine: line, above: aboveOf(records, { from, header: line }), below };
}

function firstTwo(start: string, delimiter: Delimiter, from: number): (RawRecord | undefined)[] {
  const records = firstRecords(start, delimiter, from);
  return [records.next().value ?? undefined, records.next().value ?? undefined];
}

/** Why the line that was said to be the header is none; null where it is one, or nothing was said. */
export function notThere(header: RawRecord | null, { headerLine }: Pick<TableFile, 'headerLine'>): string | null {
  if (headerLine === undefined || header?.line === headerLine) return null;
  return `Line ${headerLine}, which --header-line names, is blank or behind the end of the file: name the line on which the columns have their names.`;
}

const ZIP = Buffer.from('PK\x03\x04');

/** The reader of workbooks is loaded for one only. Null for another ZIP file. */
async function readSheet(file: TableFile, bytes: ByteSource): Promise<Table | null> {
  const { openSheet } = await import('./xlsx/sheet-table.ts');
  const sheet = await openSheet(file);
  if (sheet) await bytes.close();
  return sheet;
}

/** A table of nothing, and why it is one. */
export function emptyTable(unusable: string | null, close: () => Promise<void>): Table {
  return {
    header: null,
    above: null,
    dialect: PLAIN_DIALECT,
    rereadable: false,
    unusable,
    next: () => null,
    more: async () => false,
    close,
  };
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
  const words = { headerLine: given.headerLine, hints: given.mapping };
  const delimiter = given.delimiter ?? said ?? detectDelimiter(start, words);
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
