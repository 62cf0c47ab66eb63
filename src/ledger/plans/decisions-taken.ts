import type { AmountIn } from '../counts/outcome-sums.ts';

/** A line of a file of decisions, and a sentence about it; `portfolio`: the other portfolio that the sentence names. */
export type AboutLine = { at: number; message: string; portfolio?: string | undefined };

/** The result of taking a file's decisions. */
export type DecisionsTaken = {
  /** Lines that are taken, and lines that say what was known before. */
  taken: number;
  known: number;
  /** The number of lines without a status, which change nothing. */
  silent: number;
  /** The number of rows that the decisions changed. One request may have rows in several portfolios. */
  rows: number;
  /** The portfolios of these rows, by name; not of a dry run. */
  portfolios?: string[];
  /** The number of rows that are not changed yet, since they are archived or not done. `warnings` has the reasons. */
  left: number;
  /** Lines that are taken, by status; `unexplained`: those of these statuses whose meaning nobody has given. */
  statuses: Record<string, number>;
  unexplained: string[];
  /** Lines that are not taken, and warnings about lines that are taken. */
  problems: AboutLine[];
  warnings: AboutLine[];
  /** The changes that the decisions made or, in a dry run, would make. */
  did?: ForeseenChanges;
  would?: ForeseenChanges;
};

type Came = Pick<DecisionsTaken, 'taken' | 'known' | 'rows' | 'left' | 'problems' | 'portfolios'>;

/** What the audit records of decisions that were taken. A search for a portfolio finds the entry by the fact `portfolios`. */
export function decisionsFacts({ taken, known, rows, left, problems, portfolios = [] }: Came) {
  const where = portfolios.length > 0 ? { portfolios: portfolios.join(', ') } : {};
  return { taken, known, rows, left, notTaken: problems.length, ...where };
}

/** The status of a limit, and the granted amount as decimal text; '' if no amount is known to be granted. */
export type Stands = { status: string; granted: string };

/** The changes that decisions make or, in a dry run, would make: the first rows by line, and the granted sums by currency, before and after. */
export type ForeseenChanges = {
  rows: {
    row: string;
    name: string;
    requested: string;
    currency: string | undefined;
    /** When the service decided, in ISO 8601, if the file says so. */
    decided: string | undefined;
    before: Stands;
    after: Stands;
  }[];
  more: number;
  before: AmountIn[];
  after: AmountIn[];
  /** How many approvals are taken away or lowered, and the granted amount that is lost thereby, as far as it is known, by currency. */
  lowered: { limits: number; less: AmountIn[] };
};

/** The columns that an upload's header does not name, the headers that may be one of them, and the mapping that people gave so far. */
export type ColumnsAsked = { names: readonly string[]; headers: readonly string[]; map: readonly string[] };

/** A file of decisions for the rows of one portfolio, and what became of the decisions, or would become of them. */
export type UploadedDecisions = {
  /** The id of the upload, by which its decisions are taken in. */
  id: string;
  portfolio: string;
  fileName: string;
  sha256: string;
  /** Sentences about the columns, and about all lines. */
  columns: string[];
  words: string[];
  /** The columns that a person may still name. */
  asked: ColumnsAsked | undefined;
} & Pick<DecisionsTaken, 'taken' | 'known' | 'rows' | 'portfolios' | 'left' | 'problems' | 'warnings' | 'would'>;

/** An upload that cannot be read until a person names its columns. */
export type UnreadUpload = { id: string; portfolio: string; fileName: string; message: string; asked: ColumnsAsked };
