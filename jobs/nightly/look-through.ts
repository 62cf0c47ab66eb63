import type { FoundSink } from '../../src/ledger/nightly/checks.ts';
import type { NightReport } from '../../src/ledger/nightly/night-report.ts';
import { type FinanceDeps, makeFinanceChecks } from './finance/index.ts';
import { checkLedger, type LedgerCheckDeps } from './ledger/index.ts';
import type { Night } from './task.ts';

export type LookDeps = LedgerCheckDeps & FinanceDeps;

/**
 * All that the nightly check looks at: whether what is kept agrees with itself, and what finance wants to know of. Each row is read
 * once, and shown to all checks.
 *
 * @param given.lookAgainMs see checkLedger
 * @returns how much was looked at, and what could not be
 * @throws the signal's reason when it is aborted
 */
export async function lookThrough(
  deps: LookDeps,
  sink: FoundSink,
  { atMs, signal, lookAgainMs }: Pick<Night, 'atMs' | 'signal'> & { lookAgainMs?: number },
): Promise<NightReport['looked']> {
  const finance = await makeFinanceChecks(deps, { sink, atMs, signal });
  const looked = await checkLedger(deps, {
    sink,
    rowChecks: finance.rowChecks,
    atMs,
    signal,
    ...(lookAgainMs !== undefined && { lookAgainMs }),
  });
  await finance.run();
  return looked;
}
