import { type Dialect, type GivenDialect, PLAIN_DIALECT } from './dialect.ts';
import type { Above } from './find-header.ts';
import type { RawRecord, Shape } from './records.ts';
import type { Vocabulary } from './vocabulary.ts';

/** An open table, be it a text or a sheet of a workbook, read up to its header. */
export type Table = {
  /** The record that names the columns; null in a file without any record. */
  header: RawRecord | null;
  /** What is above it and is not read; null where nothing is. */
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
  /** What its words mean: by it the header is found among the first lines. */
  vocabulary: Vocabulary;
} & GivenDialect;

/** The next record, for which the table is read on as far as needed; null at its end. @throws LimitlineError `FILE`, `STOPPED` */
export async function nextRecord({ next, more }: Pick<Table, 'next' | 'more'>): Promise<RawRecord | null> {
  for (;;) {
    const record = next();
    if (record || !(await more())) return record;
  }
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

/** Why the line that was said to be the header is none; null where it is one, or nothing was said. */
export function headerLineProblem(
  header: RawRecord | null,
  { headerLine }: Pick<TableFile, 'headerLine'>,
): string | null {
  if (headerLine === undefined || header?.line === headerLine) return null;
  return `Line ${headerLine}, given by --header-line, is blank or after the end of the file: give the line that has the names of the columns.`;
}
