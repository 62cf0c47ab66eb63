import type { Dialect } from '../table/dialect.ts';
import type { Above } from '../table/find-header.ts';
import type { Column } from './columns/column.ts';
import type { Conventions } from './columns/known-columns.ts';
import type { Forecast } from './forecast.ts';
import type { Problem } from './problem.ts';

/** What an import would request, create and send, as `check` shows it. `limits`, `companies` and the sum are of that alone. */
export type DryRun = Forecast & {
  /** How many of the limits wait already: in this portfolio, or in another for an approval. */
  open: number;
  /** How many of the limits are for buyers with another request that is open or made, and their sum. */
  besides: { limits: number; requested: string };
  /** What is not requested again: what was made before, is held, or is under way. null without a ledger. */
  before: { limits: number; companies: number; held: number } | null;
  /** The expected duration of the calls, in seconds; null while the pace is unknown. */
  durationS: number | null;
};

/** One request, as a person sees it. */
export type LargeRequest = { line: number; name: string; requested: string };

/** A line's request as its calls would send it; `company` is null where the line gives the company's id. */
export type PreviewRequest = {
  line: number;
  company: Record<string, unknown> | null;
  documents: string[];
  limit: Record<string, unknown>;
};

/** A column as it was understood, with its first filled cells. */
export type PreviewColumn = Pick<Column, 'index' | 'written' | 'known' | 'by' | 'guess'> & { samples: string[] };

/** A line that a person has to correct, with its cells as in the file. */
export type LineToMend = {
  line: number;
  /** How many physical lines it has. */
  lines: number;
  kind: 'row' | 'invalid' | 'duplicate';
  cells: string[];
  /** The columns of a sheet whose cells are numbers by type. */
  numbers?: readonly number[] | undefined;
  problems: Problem[];
  warnings: Problem[];
  /** The line's text, if its cells cannot be trusted: it is corrected as a whole. */
  broken?: string | undefined;
};

/** The number of such lines, and where each stored page begins: its first line, and its byte in the file. */
export type MendPages = { lines: number; kept: number; pages: { line: number; at: number }[] };

/** The result of reading a file, before anything of it is in the ledger. */
export type Preview = {
  /** A digest of everything that it depends on: the file's content, how it is read, its documents, the portfolio. */
  of: string;
  madeMs: number;
  dialect: Dialect;
  /** The sheets of a workbook to choose from. */
  sheets: string[];
  headerLine: number | null;
  above: Above | null;
  columns: PreviewColumn[];
  conventions: Conventions;
  /** What is wrong with the whole file: nothing of it can be imported then. */
  faults: Problem[];
  /** Warnings about the whole file. */
  fileWarnings: Problem[];
  counts: { lines: number; rows: number; invalid: number; duplicate: number };
  /** Cells that are sent differently than written: one sentence for each column and reason. */
  changes: { column: string; count: number; value: string; became: string; message: string }[];
  dryRun: DryRun;
  /** The calls a second to expect; null when unknown. */
  ratePerS: number | null;
  largest: readonly LargeRequest[];
  first: PreviewRequest[];
  /** Documents that no line names. */
  unnamedDocuments: string[];
  problems: MendPages;
  warnings: MendPages;
};
