import type { CallKind } from '../../call-kind.ts';
import type { Sums } from '../counts/sums.ts';
import type { RowState } from '../schema/row.ts';
import type { ImportedFile } from './imports.ts';

/** Who the platform asks on behalf of: the company's id once it is known. */
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
  /** So many of its rows go first, and then it pauses itself; nothing where all go. */
  first: number | undefined;
  /** The file that was imported last, and which import of the portfolio that was. */
  file: (ImportedFile & { number: number }) | undefined;
  /** How many imports of it were begun, those of one file each time. */
  begun: number;
  /** Calls that were sent again though nobody knew what had become of them: by a setting, or by a person's word. */
  resent: Record<CallKind, number>;
  /** How often one of its rows came back from its end: was sent again, or freed. */
  reopened: number;
  supplier: PortfolioSupplier | undefined;
  /** Whether the supplier waits for another person's approval of the import that named it. */
  supplierAwaits: boolean;
  /** Who gave up its open rows last, and when, in ms. */
  givenUp: { by: string; atMs: number } | undefined;
  startedMs: number | undefined;
  finishedMs: number | undefined;
  /** Lines of the last import, without those invalid ones whose request has a row already: they count as that. */
  invalid: number;
  duplicate: number;
  /** Rows whose line the last import found invalid: they stay as they were. */
  kept: number;
  states: Record<RowState, number>;
  statuses: Record<string, number>;
  calls: Record<CallKind | 'token' | 'throttled', number>;
  /** Cancelled rows in whose place another stands, or whose line a file that replaces the others lacks. */
  replaced: number;
  /** Things that were made twice for it. */
  madeTwice: number;
  /**
   * What was counted apart from the rows, from the beginning: rows that imports brought in, by the import's number, and limits
   * that calls for its rows made. Nothing for a portfolio that is older than these counts.
   */
  counted: { added: Record<string, number>; limitsMade: number } | undefined;
  /** What its rows add up to, at the same moment as the counts. */
  sums: Sums;
};

/** Whether a supplier is still to be made. */
export function isPending({ body, id, problem }: PortfolioSupplier): boolean {
  return body !== undefined && !id && !problem;
}

/** Calls that were sent for its rows. */
export function callsSent({ calls: { company, document, limit } }: Pick<PortfolioState, 'calls'>): number {
  return company + document + limit;
}
