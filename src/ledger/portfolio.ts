import type { CallKind } from '../call-kind.ts';
import type { ImportedFile } from './imports.ts';
import type { RowState } from './row.ts';
import type { KeptSums } from './sums.ts';

/** Who the platform asks on behalf of: the company's id once it is known. */
export type Supplier = { body?: Record<string, unknown>; key?: string; id?: string; problem?: string };

export type PortfolioState = {
  name: string;
  /** Whether an import of it is under way. */
  importing: boolean;
  /** Whether the last import was given up or killed before the end of its file. */
  interrupted: boolean;
  paused: string | undefined;
  /** The file that was imported last, and which import of the portfolio that was. */
  file: (ImportedFile & { number: number }) | undefined;
  supplier: Supplier | undefined;
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
  /** What was added up when it was finished last; true only for what bears the same stamp. */
  sums: KeptSums | undefined;
};

/** Whether a supplier is still to be made. */
export function isPending({ body, id, problem }: Supplier): boolean {
  return body !== undefined && !id && !problem;
}
