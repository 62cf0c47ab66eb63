import type { AuditTrail } from '../../src/audit/audit-trail.ts';
import type { Events } from '../../src/ledger/events/events.ts';
import { CHECKS, type FoundSink, type NightReport } from '../../src/ledger/nightly/checks.ts';
import { countFindings, reportWords } from '../../src/ledger/nightly/compare-reports.ts';
import { type FinanceDeps, makeFinanceChecks } from './finance/index.ts';
import { checkLedger, type LedgerCheckDeps } from './ledger/index.ts';
import { makeReport, type ReportDeps } from './report/make-report.ts';
import type { Night, NightResult } from './run-task.ts';

export type ReconcileDeps = NightCheckDeps & ReportDeps & { events: Pick<Events, 'dropOld'> };

/**
 * The nightly check: drops old events of the service, compares all that is kept of an account, mends what is certain, and leaves a report.
 *
 * @throws errors of Redis; then the night is run again
 */
export async function reconcile(
  deps: ReconcileDeps,
  night: Omit<Night, 'from'>,
): Promise<NightResult & { report: string }> {
  await deps.events.dropOld();
  const report = await makeReport(night, (sink) => lookThrough(deps, sink, night), deps);
  // Only differences between records are counted: findings for finance and held calls are none.
  const groups = report.groups.filter(({ check }) => CHECKS[check].kind === 'ledger');
  await deps.portfolios.noteReconciled(countFindings({ groups }));
  return { is: report.findings > 0 ? 'findings' : 'well', words: reportWords(report), report: report.id };
}

export type NightCheckDeps = LedgerCheckDeps & FinanceDeps & { audit: Pick<AuditTrail, 'verify'> };

/**
 * Runs all checks: whether records agree with each other, and what finance should know. Each row is read once, for all checks.
 *
 * @param given.lookAgainMs see `LedgerCheck`
 * @returns how much was checked, and what could not be
 * @throws the signal's reason when it is aborted
 */
export async function lookThrough(
  deps: NightCheckDeps,
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
  says: 'the audit trail is broken: entries are missing, or were changed',
  isMended: false,
  command: 'audit verify',
} as const;
