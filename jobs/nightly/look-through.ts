import type { AuditTrail } from '../../src/audit/audit-trail.ts';
import type { FoundSink } from '../../src/ledger/nightly/checks.ts';
import type { NightReport } from '../../src/ledger/nightly/night-report.ts';
import { type FinanceDeps, makeFinanceChecks } from './finance/index.ts';
import { checkLedger, type LedgerCheckDeps } from './ledger/index.ts';
import type { Night } from './task.ts';

export type LookDeps = LedgerCheckDeps & FinanceDeps & { audit: Pick<AuditTrail, 'verify'> };

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
  const { broken } = await deps.audit.verify(undefined, signal);
  if (broken) await sink.found({ ...BROKEN_TRAIL, detail: broken.words });
  return looked;
}

const BROKEN_TRAIL = {
  check: 'audit',
  portfolio: '',
  says: 'the audit trail does not hold: entries are missing, or were changed',
  isMended: false,
  command: 'audit verify',
} as const;
