import type { FoundInFile } from '../portfolios/imports.ts';
import type { Approval } from '../schema/approval.ts';
import type { RowState } from '../schema/row.ts';
import type { RowId } from '../schema/schema.ts';

/** A row that waits, as a person is shown it. `said` is what somebody answered of a held one: the id that was made, or `resend`. */
export type WaitingRow = {
  row: RowId;
  line: number;
  name: string;
  /** Requested limit, decimal text. */
  amount: string;
  was: RowState | undefined;
  said: string | undefined;
};

/** A row's request as its calls would send it; `company` is null where the line gives the company's id. */
export type WaitingRequest = {
  line: number;
  company: Record<string, unknown> | null;
  documents: readonly string[];
  limit: Record<string, unknown>;
};

/** How the file was understood: column by column, and in words what else was decided. */
export type UnderstoodFile = {
  number: number;
  name: string;
  by: string | undefined;
  found: FoundInFile | undefined;
  columns: readonly { written: string; known: string | undefined }[];
  /** Such as `utf-8`, `semicolon`, `header on line 3`. */
  reading: readonly string[];
  /** Warnings of the file as a whole, such as lines of sums that are no buyers, and the column that each is about. */
  fileWarnings: readonly { column: string | null; message: string }[];
  /** Warnings of its lines, alike ones together, and how many lines of the file were looked through for them. */
  warnings: readonly { words: string; lines: number; first: number }[];
  lookedThrough: number;
  isWhole: boolean;
};

/** All that an approver has to see before a yes. */
export type ApprovalLook = {
  approval: Approval;
  /** What the portfolio came to with it: rows by state, and the sum of what they ask for; and whether it is paused. */
  portfolio: { states: Record<RowState, number>; sum: string; isPaused: boolean };
  /** Nothing where what waits is no import, or the copy of the file is not in the data folder any more. */
  file: UnderstoodFile | undefined;
  /** The largest first; of very many rows the largest of those that were looked at. */
  largest: readonly WaitingRow[];
  isLargestExact: boolean;
  first: readonly WaitingRequest[];
  /** What happened since it was asked for, in sentences. */
  since: readonly string[];
};

/** What waits for another person's approval, since somebody asked for it: rows, and what they ask for as exact decimal text, and which sum is above its limit, in words. */
export type AskedFor = { approval: string; rows: number; sum: string; why?: string };

/** What a person says to what waits for approval. */
export type ApprovalAnswer = 'approve' | 'decline';

/**
 * What became of a person's answer. Nothing was done but for `done`: there is no such approval (`gone`); another answered it before
 * (`answered`); it is not what was looked at any more (`changed`); whoever asked for it answers it (`own`); whoever answers may not
 * (any more: `role`); there are no users, so nobody knows who answers (`nobody`); the password or the code is wrong, or too many were tried; whoever answers has a password of their own or a second factor to set first (`owes`), or has to sign in anew at their identity provider.
 */
export type AnswerResult =
  | { is: 'done'; approval: Approval }
  | { is: 'answered'; approval: Approval }
  | { is: 'gone' | 'changed' | 'own' | 'role' | 'nobody' | 'password' | 'owes' | 'sign in' | 'busy' }
  | { is: 'later'; afterS: number };
