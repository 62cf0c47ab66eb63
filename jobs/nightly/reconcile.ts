import type { Events } from '../../src/ledger/events/events.ts';
import { CHECKS } from '../../src/ledger/nightly/checks.ts';
import { countFindings } from '../../src/ledger/nightly/compare-reports.ts';
import type { NightReport } from '../../src/ledger/nightly/night-report.ts';
import { reportWords } from '../../src/ledger/nightly/report-words.ts';
import { type LookDeps, lookThrough } from './look-through.ts';
import { makeReport, type ReportDeps } from './report/make-report.ts';
import type { Night, NightResult } from './task.ts';

export type ReconcileDeps = LookDeps & ReportDeps & { events: Pick<Events, 'dropOld'> };

/**
 * The nightly check: drops events of the service that are too old, looks through all that is kept of an account, mends what is certain, and leaves a report of what was found.
 *
 * @throws whatever Redis throws; the night is then run again, and finds what is still to be found
 */
export async function reconcile(deps: ReconcileDeps, night: Night): Promise<NightResult & { report: string }> {
  await deps.events.dropOld();
  const report = await makeReport(night, (sink) => lookThrough(deps, sink, night), deps);
  // What finance wants to know of, and a held call, is no difference between records.
  const groups = report.groups.filter(({ check }) => CHECKS[check].kind === 'ledger');
  await deps.portfolios.noteReconciled(countFindings({ groups }));
  return resultOf(report);
}

function resultOf(report: NightReport): NightResult & { report: string } {
  return { is: report.findings > 0 ? 'findings' : 'well', words: reportWords(report), report: report.id };
}
