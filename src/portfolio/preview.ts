import type { Dialect } from '../table/dialect.ts';
import type { Above } from '../table/find-header.ts';
import type { Column } from './columns/column.ts';
import type { Conventions } from './columns/known-columns.ts';
import type { Forecast } from './forecast.ts';
import type { Problem } from './problem.ts';

/** What an import would request, create and send, as `check` says it: `limits`, `companies` and the sum are of that alone. */
export type DryRun = Forecast & {
  /** Of the limits, those that wait already: in this portfolio, or in another for an approval. */
  open: number;
  /** Of the limits, those whose buyers have another request that is open or made, and their sum. */
  besides: { limits: number; requested: string };
  /** What was made before, and limits that are held, or under way: not requested again. null where there is no ledger to ask. */
  before: { limits: number; companies: number; held: number } | null;
  /** Of the calls at the pace that is known; null where none is. */
  durationS: number | null;
};

/** One request, as a person is shown it. */
export type LargeRequest = { line: number; name: string; requested: string };

/** A line's request as its calls would send it; `company` is null where the line gives the company's id. */
export type PreviewRequest = {
  line: number;
  company: Record<string, unknown> | null;
  documents: string[];
  limit: Record<string, unknown>;
};

/** A column as it was understood, with what stands in its first filled cells. */
export type PreviewColumn = Pick<Column, 'index' | 'written' | 'known' | 'by' | 'guess'> & { samples: string[] };

/** A line that somebody has to look at, with its cells as the file has them. */
export type LineToMend = {
  line: number;
  /** How many physical lines it has. */
  lines: number;
  kind: 'row' | 'invalid' | 'duplicate';
  cells: string[];
  /** The columns of a sheet's cells that are numbers by their type. */
  numbers?: readonly number[] | undefined;
  problems: Problem[];
  warnings: Problem[];
  /** The line's text, where its cells are not to be believed: it is mended as a whole. */
  broken?: string | undefined;
};

/** How many such lines there are, and where each page of those that were kept begins: its first line, and the byte of its file. */
export type MendPages = { lines: number; kept: number; pages: { line: number; at: number }[] };

/** What reading a file came to, before anything of it is in the ledger. */
export type Preview = {
  /** Digest of all that it was made of: the file's content and how it is read, its documents, the portfolio. */
  of: string;
  madeMs: number;
  dialect: Dialect;
  /** The sheets of a workbook that can be chosen. */
  sheets: string[];
  headerLine: number | null;
  above: Above | null;
  columns: PreviewColumn[];
  conventions: Conventions;
  /** What is wrong with the file as a whole: nothing of it can be imported then. */
  faults: Problem[];
  /** What is strange about the file as a whole. */
  fileWarnings: Problem[];
  counts: { lines: number; rows: number; invalid: number; duplicate: number };
  /** Cells that are sent otherwise than they were written, a sentence for each column and reason. */
  changes: { column: string; count: number; value: string; became: string; message: string }[];
  dryRun: DryRun;
  /** Calls a second that can be counted on; null where none is known. */
  ratePerS: number | null;
  largest: readonly LargeRequest[];
  first: PreviewRequest[];
  /** Documents that no line names. */
  unnamedDocuments: string[];
  problems: MendPages;
  warnings: MendPages;
};
