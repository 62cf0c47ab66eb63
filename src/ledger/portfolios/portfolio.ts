import type { CallKind } from '../../call-kind.ts';
import type { AnswerSum, Sums } from '../counts/sums.ts';
import type { RowState } from '../schema/row.ts';
import type { ImportedFile } from './imports.ts';

/** The company on whose behalf the platform requests limits; `id` once it is made. */
export type PortfolioSupplier = {
  body?: Record<string, unknown>;
  key?: string;
  id?: string;
  problem?: string;
};

export type PortfolioState = {
  name: string;
  /** Whether an import of it is under way. */
  importing: boolean;
  /** Whether the last import was given up or killed before the end of its file. */
  interrupted: boolean;
  paused: string | undefined;
  /** Number of rows that go first, before the portfolio pauses itself; undefined if all go. */
  first: number | undefined;
  /** The last imported file, and its number in the portfolio. */
  file: (ImportedFile & { number: number }) | undefined;
  /** Number of imports begun, repeated files included. */
  begun: number;
  /** Calls whose outcome was unknown and that a setting or a person had sent again. */
  resent: Record<CallKind, number>;
  /** How often an ended row of it was sent again, or freed. */
  reopened: number;
  supplier: PortfolioSupplier | undefined;
  /** Whether the supplier waits for the approval of the import that named it. */
  supplierAwaits: boolean;
  /** Who last gave up its open rows, and when, in ms. */
  givenUp: { by: string; atMs: number } | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Invalid lines of the last import, without those that count as an existing row of their request. */
  invalid: number;
  duplicate: number;
  /** Rows whose line in the last import is invalid: they stay as they were. */
  kept: number;
  states: Record<RowState, number>;
  statuses: Record<string, number>;
  calls: Record<CallKind | 'token' | 'throttled', number>;
  /** Cancelled rows that another row replaces, or whose line a replacing file lacks. */
  replaced: number;
  /** Things made twice for it. */
  madeTwice: number;
  /**
   * Counts kept apart from the rows since the portfolio began: rows brought in, by the import's number, and limits made by calls for its
   * rows. Undefined for a portfolio older than these counts.
   */
  counted: { added: Record<string, number>; limitsMade: number } | undefined;
  /** The sums of its rows, read at the same moment as the counts. */
  sums: Sums;
  /** Its done rows by how the service answered. */
  answers: AnswerSum[];
};

/** Whether a supplier is still to be made. */
export function isPending({ body, id, problem }: PortfolioSupplier): boolean {
  return body !== undefined && !id && !problem;
}

/** Calls that were sent for its rows. */
export function callsSent({ calls: { company, document, limit } }: Pick<PortfolioState, 'calls'>): number {
  return company + document + limit;
}
