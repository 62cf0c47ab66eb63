import type { NamedOtherRequests } from '../plans/plan.ts';
import type { FoundInFile, ImportMade } from '../portfolios/imports.ts';
import type { Approval } from '../schema/approval.ts';
import type { RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/**
 * A row that waits for an approval, as an approver sees it. `was`: its state before it began to wait. `said`: a person's answer to the held
 * row's call in doubt, which is the id of what was made, or `resend`.
 */
export type WaitingRow = {
  row: RowId;
  line: number;
  name: string;
  /** Requested limit, decimal text. */
  amount: string;
  was: RowState | undefined;
  said: string | undefined;
  /** Why a yes sends nothing for the row now. */
  elsewhere: CallElsewhere | undefined;
};

/**
 * What became of a row's call in whatever portfolio: `made`, `held` until a person says what became of it, or `under way`, which means sent
 * and not answered yet.
 */
export type CallElsewhere = 'made' | 'held' | 'under way';

/** A row's request as its calls would send it; `company` is null if the line gives the company's id. */
type WaitingRequest = {
  line: number;
  company: Record<string, unknown> | null;
  documents: readonly string[];
  limit: Record<string, unknown>;
};

/** The reading of an imported file, as an approver sees it: what each column was taken for, and other decisions in words. */
export type UnderstoodFile = {
  number: number;
  name: string;
  by: string | undefined;
  found: FoundInFile | undefined;
  made: ImportMade | undefined;
  /** What of it people changed by hand; undefined where that is not known any more. */
  changes: ChangedByHand | undefined;
  columns: readonly { written: string; known: string | undefined }[];
  /** Those of the columns that are read, and that no call sends. */
  readOnly: readonly string[];
  /** How the file was read, in words such as `utf-8`, `semicolon`, `header on line 3`. */
  reading: readonly string[];
  /** Warnings about the whole file, such as lines with sums instead of buyers, and the column of each. */
  fileWarnings: readonly { column: string | null; message: string }[];
  /**
   * Warnings about lines: one entry for equal words, with the number of those `lines` and the `first` of them. `lookedThrough`: the number
   * of lines that were searched for warnings.
   */
  warnings: readonly { words: string; lines: number; first: number }[];
  lookedThrough: number;
  isWhole: boolean;
};

/** A value as it is written in a column, whose `meaning` is null if the column is not known; `column` is null for a whole line. */
type Written = { column: string | null; meaning: string | null; cell: string };

/** Values that people changed in an uploaded file, by line; and the lines that they left out of it. Long texts are cut. */
export type ChangedByHand = {
  values: readonly { line: number; before: Written; now: Written }[];
  leftOut: readonly number[];
};

/** An approval with the currency of its sum, if its file or its portfolio's files name one. */
export type PricedApproval = Approval & { currency: string | undefined };

/** Everything that an approver has to see before saying yes. */
export type ApprovalLook = {
  approval: PricedApproval;
  /** The rows that a yes would request now, and their sum: without those whose limit was made elsewhere meanwhile, or waits there. */
  goes: Pick<Approval, 'rows' | 'sum'>;
  /** The whole portfolio: rows by state, the sum of those that are not given up with its currency, and whether it is paused. */
  portfolio: { states: Record<RowState, number>; sum: string; currency: string | undefined; isPaused: boolean };
  /** The imported file; undefined if no import is to be approved, or the data folder no longer has the file's copy. */
  file: UnderstoodFile | undefined;
  /** What people changed by hand in a file that cannot be shown, since its copy is not here or takes too long to read. */
  unread?: { made: ImportMade | undefined } | undefined;
  /** The waiting rows with the largest amounts, the largest first. `isLargestExact` is false if a larger row may exist among very many. */
  largest: readonly WaitingRow[];
  isLargestExact: boolean;
  first: readonly WaitingRequest[];
  /** What happened since the approval was asked for, in sentences. */
  since: readonly string[];
  /** The rows whose buyer has another request; undefined if there are none, or nothing waits. */
  others: NamedOtherRequests | undefined;
  /** The rows whose buyer may be the same company as another buyer with a request; undefined likewise. */
  alike: NamedOtherRequests | undefined;
};

/** Rows that now wait for another person's approval: their number, their sum as exact decimal text, and why they wait, in words. */
export type AskedFor = { approval: string; rows: number; sum: string; why?: string };

/** A person's answer to an approval. */
export type ApprovalAnswer = 'approve' | 'decline';

/**
 * The outcome of a person's answer. Only `done` changes anything. `gone`: no such approval. `answered`: another person was first.
 * `changed`: it differs from what the person saw. `own`: the person asked for it. `role`: the person may not approve (any more). `nobody`:
 * there are no users, so the person is unknown. `password`: password or code are wrong. `later`, `busy`: too many attempts. `owes`: the
 * person has to set a password or a second factor first. `sign in`: the person has to sign in again at the identity provider.
 */
export type AnswerResult =
  | { is: 'done'; approval: Approval }
  | { is: 'answered'; approval: Approval }
  | { is: 'gone' | 'changed' | 'own' | 'role' | 'nobody' | 'password' | 'owes' | 'sign in' | 'busy' }
  | { is: 'later'; afterS: number };
