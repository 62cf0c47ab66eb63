import type { NightReport } from '../../src/ledger/nightly/checks.ts';
import { compareReports, countFindings } from '../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../src/ledger/nightly/group-findings.ts';
import { foundItem } from './found-items.ts';

/** A report of a night with findings of these words, made at a moment. */
export function keptReport(id: string, madeMs: number, words: readonly string[], by = 'nightly') {
  const groups = makeFindingGroups();
  for (const says of words) groups.add(foundItem({ says }));
  const { items, ...grouped } = groups.result();
  const { findings, groups: parts } = compareReports(grouped, undefined);
  const times = { atMs: madeMs, beganMs: madeMs, madeMs };
  const counts = { looked: { portfolios: 1 }, items, findings: countFindings({ groups: parts }), groups: parts };
  const report: NightReport = { id, account: 'a', by, ...times, ...counts, crowded: [] };
  return { report, findings };
}
