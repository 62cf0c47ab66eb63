import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Elsewhere } from '../../src/ledger/plans/plan.ts';
import type { Step } from '../../src/ledger/schema/row.ts';
import { rowName } from '../../src/ledger/schema/schema.ts';
import type { FoundRow } from '../rows/walk-rows.ts';

/** A row with a person's answer. Without `made`, its call is sent again. */
export type ResolvedRow = {
  line: number;
  /** The name of the line's file, as in the column `import` of results. */
  import: string;
  row: string;
  step: Step;
  name: string;
  requested_limit: string;
  made?: string;
};

/**
 * The result of answers: how many calls were resolved and rows released, `elsewhere` those of other portfolios, and `of` which
 * rows, if they were named one by one. `waits`: what waits for another person's approval instead. That is everything, or the
 * rows whose calls somebody else declined just then.
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
