import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Elsewhere } from '../../src/ledger/plans/plan.ts';
import type { Step } from '../../src/ledger/schema/row.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** A row that a person spoke of: which it is, whose, and what is taken for true. Without `made` it is sent again. */
export type ResolvedRow = {
  line: number;
  /** The file that the line is of, as the column `import` of the results names it. */
  import: string;
  row: string;
  step: Step;
  name: string;
  requested_limit: string;
  made?: string;
};

/**
 * What was resolved: calls, and the rows that go on because of it, in any portfolio, and how many of them in others; and, where rows
 * were named one by one, which they were. Or what waits for another person's approval instead:
 * all of it, or, where somebody said no just then, the rows whose calls that was about.
 */
export type ResolutionSummary = {
  calls: number;
  rows: number;
  elsewhere?: Elsewhere[] | undefined;
  of?: ResolvedRow[];
  waits?: AskedFor;
  looked?: Looked;
};

/** When somebody looked at a held row, and since when it was held then, in ms. */
export type Looked = { lookedMs: number; heldMs: number };

/** How an answer names a row and what was said of it. */
export function resolvedOf(
  { row, result: { line, importId, step, request } }: FoundRow,
  made: string | undefined,
  imports: ReadonlyMap<string, string>,
): ResolvedRow {
  return {
    line,
    import: imports.get(importId) ?? '',
    row: rowName(row),
    step,
    name: request.name,
    requested_limit: request.limit.requested_limit,
    ...(made === undefined ? {} : { made }),
  };
}
