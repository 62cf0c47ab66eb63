import type { Readable } from 'node:stream';
import type { CheckName } from '../../../ledger/nightly/checks.ts';
import type { SectionName } from '../../../ledger/nightly/night-report.ts';
import type { EventsFunctions } from '../events/events-section.ts';
import type { InboxFunctions } from './inbox-view.ts';
import type { NoticesFunctions } from './notices-view.ts';
import type { ReportsPage, ShownGroup, ShownReport } from './report-view.ts';
import type { RuleFunctions } from './rules-view.ts';
import type { ScheduleFunctions } from './schedule-view.ts';

/** The findings of one check in one section of a report, from the index `after` on. */
export type ReportPlace = { section: SectionName; check: CheckName; after: number };

/** The functions that the page *Nightly* gets for nightly reports. */
export type ReportFunctions = {
  /** A night's report, or the last one, with the first findings of each check; undefined where there is none. */
  read: (id?: string) => Promise<ShownReport | undefined>;
  /** A page of the findings of one check; undefined where the report has none. */
  group: (id: string, place: ReportPlace) => Promise<{ atMs: number; group: ShownGroup; next?: number } | undefined>;
  list: (beforeMs?: number) => Promise<ReportsPage>;
  /** A file of a report. Undefined where there is none, or another host has it. */
  file: (
    id: string,
    file: 'items.csv' | 'report.html',
  ) => Promise<{ sizeBytes?: number; content: () => Readable } | undefined>;
};

/** The functions that the page *Nightly* gets, one group for each section. */
export type NightlyPageFunctions = {
  report: ReportFunctions;
  rules: RuleFunctions;
  inbox: InboxFunctions;
  events: EventsFunctions;
  notices: NoticesFunctions;
  schedule: ScheduleFunctions;
};
