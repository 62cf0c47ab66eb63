import { type Dialect, type GivenDialect, PLAIN_DIALECT } from './dialect.ts';
import type { Above } from './find-header.ts';
import type { RawRecord, Shape } from './records.ts';
import type { Vocabulary } from './vocabulary.ts';

/** An open table, either a text file or a sheet of a workbook, read up to its header. */
export type Table = {
  /** The record that names the columns; null in a file without any record. */
  header: RawRecord | null;
  /** The lines above the header, which are not read; null if there are none. */
  above: Above | null;
  /** The record after the header, if finding the header needed it; left out otherwise. */
  below?: RawRecord | undefined;
  /** The dialect of the file, as given or as detected. */
  dialect: Dialect;
  /** Whether the file can be opened again; a pipe cannot. */
  rereadable: boolean;
  /** Why the file cannot be read as a table, if that is known before its first record; null otherwise. */
  unusable: string | null;
  /** What else the file contains that is not read, such as other sheets: a sentence for each. Left out if there is nothing. */
  leftOut?: string[];
  /** The next record of what was read so far; null if more must be read first, see `more`. */
  next(shape?: Shape): RawRecord | null;
  /** Reads on; false at the end of the file. @throws LimitlineError `FILE`, `STOPPED` */
  more(): Promise<boolean>;
  close(): Promise<void>;
};

export type TableFile = {
  path: string;
  /** The name of the file in error messages, if `path` is a copy that the user does not know. */
  givenPath?: string | undefined;
  signal?: AbortSignal | undefined;
  /** Which column names are known: the header is found among the first lines by them. */
  vocabulary: Vocabulary;
} & GivenDialect;

/** The next record, reading on as needed; null at the end. @throws LimitlineError `FILE`, `STOPPED` */
export async function nextRecord({ next, more }: Pick<Table, 'next' | 'more'>): Promise<RawRecord | null> {
  for (;;) {
    const record = next();
    if (record || !(await more())) return record;
  }
}

/** A table without records, and why it is empty. */
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

/** Why the line that was given as the header cannot be one; null if it can, or if no line was given. */
export function headerLineProblem(
  header: RawRecord | null,
  { headerLine }: Pick<TableFile, 'headerLine'>,
): string | null {
  if (headerLine === undefined || header?.line === headerLine) return null;
  return `Line ${headerLine}, given by --header-line, is blank or after the end of the file: give the line that has the names of the columns.`;
}
