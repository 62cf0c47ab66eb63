import type { ResolutionSummary, ResolvedRow } from '../../jobs/operators/resolution.ts';

/** The last line after `--dry-run`. */
export const NOTHING_CHANGED = 'Nothing was changed (--dry-run).';

/** `line 3 of q4.csv #1 (row q4/…), Buyer 2 GmbH, 1002.5: its limit is taken as made, bl_…` */
export function resolvedWords(
  { line, import: file, row, step, name, requested_limit, made }: ResolvedRow,
  dryRun = false,
): string {
  const be = dryRun ? 'would be' : 'is';
  const what = step === 'documents' ? 'document' : step;
  const became = made === undefined ? `${what} ${be} sent again` : `${what} ${be} taken as made, ${made}`;
  return `line ${line} of ${file} (row ${row}), ${name}, ${requested_limit}: its ${became}`;
}

/** The portfolio's own rows that go on. Rows of others may be paused where these are not. */
export function rowsHere({ rows, elsewhere = [] }: ResolutionSummary): number {
  return elsewhere.reduce((here, other) => here - other.rows, rows);
}
