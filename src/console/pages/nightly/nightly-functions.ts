import type { Readable } from 'node:stream';
import type { CheckName } from '../../../ledger/nightly/checks.ts';
import type { SectionName } from '../../../ledger/nightly/night-report.ts';
import type { EventsFunctions } from '../events/events-section.ts';
import type { InboxFunctions } from './inbox-view.ts';
import type { NoticesFunctions } from './notices-view.ts';
import type { ReportsPage, ShownGroup, ShownReport } from './report-view.ts';
import type { RuleFunctions } from './rules-view.ts';
import type { ScheduleFunctions } from './schedule-view.ts';

/** A place in a report: one check in one part of it, from one of its findings on. */
export type ReportPlace = { section: SectionName; check: CheckName; after: number };

/** What the page is handed of reports. */
export type ReportFunctions = {
  /** The report of a night, or the last one, with the first findings of each check; nothing where there is none. */
  read: (id?: string) => Promise<ShownReport | undefined>;
  /** The findings of one check, a page of them; nothing where the report has none of it. */
  group: (id: string, place: ReportPlace) => Promise<{ atMs: number; group: ShownGroup; next?: number } | undefined>;
  list: (beforeMs?: number) => Promise<ReportsPage>;
  /** A file of a report, as it was left. Nothing where there is none, or it lies on another host. */
  file: (
    id: string,
    file: 'items.csv' | 'report.html',
  ) => Promise<{ sizeBytes?: number; content: () => Readable } | undefined>;
};

/** What the page *Nightly* shows: what it is handed of buyers' things, and the schedule, which has nothing of theirs. */
export type NightlyParts = NightlyPageFunctions & { schedule: ScheduleFunctions };

/** What the page *Nightly* is handed, a section each. */
export type NightlyPageFunctions = {
  report: ReportFunctions;
  rules: RuleFunctions;
  inbox: InboxFunctions;
  events: EventsFunctions;
  notices: NoticesFunctions;
};
