import type { FoundSink } from '../../../src/ledger/nightly/checks.ts';
import type { RowCheck } from '../row-check.ts';
import { type WalkDeps, walkLedger } from '../walk-ledger.ts';

export type LedgerCheckDeps = WalkDeps;

/** What a night's check of the ledger is told: where its findings go, and which other checks look at each row on the same walk. */
type LedgerCheck = { sink: FoundSink; rowChecks?: readonly RowCheck[]; signal: AbortSignal };

/**
 * All checks of kind `ledger`: what is kept beside the rows, the queues, the calls, the buyers' lists, files and documents are compared
 * with the rows, and what is certain is mended. Whoever else has something to look at in each row hands it in as a row check.
 */
export async function checkLedger(
  deps: LedgerCheckDeps,
  { rowChecks = [], signal }: LedgerCheck,
): Promise<{ rows: number }> {
  return walkLedger(deps, rowChecks, { signal });
}
