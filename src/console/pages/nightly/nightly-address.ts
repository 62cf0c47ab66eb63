import type { CheckName } from '../../../ledger/nightly/checks.ts';
import type { SectionName } from '../../../ledger/nightly/night-report.ts';

/** The page of what is done at night, with the earlier reports from a moment on. */
export function nightlyAddress(beforeMs?: number): string {
  return beforeMs === undefined ? '/nightly' : `/nightly?before=${beforeMs}#all-reports-title`;
}

/** The page of a report; of one check in one part of it, from one of its findings on. */
export function reportAddress(id: string, at?: { section: SectionName; check: CheckName; after?: number }): string {
  const path = `/nightly/reports/${encodeURIComponent(id)}`;
  if (!at) return path;
  const query = new URLSearchParams({ section: at.section, check: at.check });
  if (at.after) query.set('after', String(at.after));
  return `${path}?${query}`;
}

/** A file of a report, to be saved. */
export function reportFileAddress(id: string, file: 'items.csv' | 'report.html'): string {
  return `${reportAddress(id)}/${file}`;
}
