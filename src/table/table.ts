import { type Dialect, type GivenDialect, PLAIN_DIALECT } from './dialect.ts';
import type { Above, Vocabulary } from './find-header.ts';
import type { RawRecord, Shape } from './records.ts';

/** An open table, from a text or a workbook's sheet, read up to its header. */
export type Table = {
  /** The record with the column names; null in an empty file. */
  header: RawRecord | null;
  /** The unread part above the header; null if there is none. */
  above: Above | null;
  /** The records among which the header was sought. Empty if somebody gave its line, or if the first record is a complete header. */
  first: readonly Pick<RawRecord, 'line' | 'cells'>[];
  /** The record below the header, if it was read while finding the header. */
  below?: RawRecord | undefined;
  dialect: Dialect;
  /** Whether the file can be opened again; a pipe cannot. */
  rereadable: boolean;
  /** Why the file is no table, if that showed before its first record; otherwise null. */
  unusable: string | null;
  /** Messages about content that is not read, such as other sheets. */
  leftOut?: string[];
  /** Cells of a sheet that are merged over several lines, once it was read to its end: some hundred at the most. */
  merged?: readonly Merged[];
  /** The columns that a sheet hides, as first and last index. */
  hiddenColumns?: readonly (readonly [from: number, to: number])[];
  /** The next record of the text read so far; null if `more` must be called first. */
  next(shape?: Shape): RawRecord | null;
  /** Reads another chunk; false at the end. @throws LimitlineError `FILE`, `STOPPED` */
  more(): Promise<boolean>;
  /** How many bytes of the file were read so far; undefined for a workbook. */
  readBytes?(): number;
  close(): Promise<void>;
};

/** Cells that are merged over several lines, such as A2:A4: the first of these lines, and the first and the last column. */
export type Merged = { name: string; line: number; columns: [from: number, to: number] };

export type TableFile = {
  path: string;
  /** The name of a workbook in errors, where `path` is an internal copy. */
  givenPath?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The words by which the header is recognized among the first lines. */
  vocabulary: Vocabulary;
} & GivenDialect;

/** The next record, reading as much as necessary; null at the end. @throws LimitlineError `FILE`, `STOPPED` */
export async function nextRecord({ next, more }: Pick<Table, 'next' | 'more'>): Promise<RawRecord | null> {
  for (;;) {
    const record = next();
    if (record || !(await more())) return record;
  }
}

/** An empty table. `unusable`: why the file is no table. */
export function emptyTable(unusable: string | null, close: () => Promise<void>): Table {
  return {
    header: null,
    above: null,
    first: [],
    dialect: PLAIN_DIALECT,
    rereadable: false,
    unusable,
    next: () => null,
    more: async () => false,
    close,
  };
}

/** Why `headerLine` is no header; null if it is one, or if none was given. */
export function headerLineProblem(
  header: RawRecord | null,
  { headerLine }: Pick<TableFile, 'headerLine'>,
): string | null {
  if (headerLine === undefined || header?.line === headerLine) return null;
  return `Line ${headerLine}, given by --header-line, is blank or after the end of the file: give the line that has the names of the columns.`;
}
