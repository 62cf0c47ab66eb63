import type { FoundItem, NightReport } from '../../src/ledger/nightly/checks.ts';
import { compareReports, countFindings } from '../../src/ledger/nightly/compare-reports.ts';
import { makeFindingGroups } from '../../src/ledger/nightly/group-findings.ts';

/** A refused row as a check finds it, with the given changes. */
export function foundItem(changes: Partial<FoundItem> = {}): FoundItem {
  return {
    check: 'refused',
    portfolio: 'q4',
    key: 'A'.repeat(16),
    line: 7,
    name: 'Muster GmbH',
    requested: '1000.50',
    says: 'refused with status 422 at the limit',
    sinceMs: 1_763_802_000_000,
    isMended: false,
    command: 'retry q4 --cause k3f9',
    ...changes,
  };
}

/** The report of a night with findings of these words, made at this moment. */
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
