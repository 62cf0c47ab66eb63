import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { CheckName, SectionName } from '../../../ledger/nightly/checks.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html, NOTHING, t } from '../../html/html.ts';
import { emptyState } from '../../parts/blocks.ts';
import { linkButton } from '../../parts/form.ts';
import { commandLine } from '../../parts/text.ts';
import { AUTOMATION, nightlyAddress, reportAddress, reportFileAddress } from '../addresses.ts';
import { type EventsFunctions, eventsSection } from '../events/events.ts';
import { type InboxFunctions, inboxSection } from './inbox-view.ts';
import { type NoticesFunctions, noticesSection } from './notices-view.ts';
import type { ReportsPage, ShownGroup, ShownReport } from './report-view.ts';
import { reportHead, reportSections, reportsList } from './report-view.ts';
import { type RuleFunctions, rulesSection } from './rules-view.ts';
import { nobodyOnDuty, type ScheduleFunctions, scheduleSection } from './schedule-view.ts';

const word = z.string().optional().catch(undefined);

/**
 * The query of the nightly pages. `before`: the time before which listed reports begin; `asked`: the task that was asked for;
 * `rule`: what became of a rule; `cause` and `portfolio`: the rule to make.
 */
export const NIGHTLY_QUERY = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
  asked: word,
  rule: word,
  cause: z
    .string()
    .regex(/^[a-z0-9]{4,16}$/)
    .optional()
    .catch(undefined),
  portfolio: word,
});

/** The reader's rights and CSRF token, and the page's query. */
type Asked = { rights: Rights; csrf: string; query: z.infer<typeof NIGHTLY_QUERY> };

/** A section of a page; `view` reads its data and renders it. */
type NightlySection = {
  title: string;
  anchor?: string;
  view: (given: NightlyPageFunctions, asked: Asked) => Promise<{ body: Html; actions?: Html }>;
};

/** Notices on the page: one screen. `limitline notices` shows up to 500. */
const NOTICES_SHOWN = 20;

/** Events on the page: one screen. `limitline events` lists more, and exports all. */
const EVENTS_SHOWN = 10;

/** The three pages *Nightly*, each with its sections in order. The report is the first page, since people open it in the morning. */
export const NIGHTLY_PAGES: readonly { href: string; words: string; lead: string; sections: NightlySection[] }[] = [
  {
    href: nightlyAddress(),
    words: t`Report`,
    lead: t`What the nightly check of all records found.`,
    sections: [
      {
        title: t`The last report`,
        view: async ({ report, schedule }, { rights }) => {
          const [last, { onDuty }] = await Promise.all([report.read(), schedule.look()]);
          const { body, actions } = lastReport(last, rights);
          return { body: html`${onDuty.length === 0 && nobodyOnDuty()}${body}`, ...(actions && { actions }) };
        },
      },
      {
        title: t`All reports`,
        anchor: 'all-reports',
        view: async ({ report }, { query }) => ({ body: reportsList(await report.list(query.before)) }),
      },
    ],
  },
  {
    href: AUTOMATION,
    words: t`Automation`,
    lead: t`What Limitline does by itself: at night, with files in the drop folder, and with events of the service.`,
    sections: [
      {
        title: t`Schedule`,
        view: async ({ schedule }, { rights, csrf, query: { asked } }) => {
          const mayRun = can(rights, 'POST /nightly/run/:task');
          return { body: scheduleSection(await schedule.look(), { csrf, mayRun, asked }) };
        },
      },
      {
        title: t`Sent again at night`,
        anchor: 'sent-again-at-night',
        view: async ({ rules }, { rights, csrf, query }) => {
          const mayChange = can(rights, 'POST /nightly/rules');
          return { body: rulesSection(await rules.look(), { csrf, mayChange, asked: query }) };
        },
      },
      { title: t`Drop folder`, view: async ({ inbox }) => ({ body: inboxSection(await inbox.look()) }) },
      {
        title: t`Events of the service`,
        view: async ({ events }, { rights }) => {
          const showsEvents = can(rights, 'GET /service-events/:id');
          return { body: eventsSection(await events.look(EVENTS_SHOWN), { showsEvents }) };
        },
      },
    ],
  },
  {
    href: '/nightly/notices',
    words: t`Notices`,
    lead: t`Who is told when something changes, and whether it arrived.`,
    sections: [
      {
        title: t`Latest notices`,
        view: async ({ notices }) => ({ body: noticesSection(await notices.look(NOTICES_SHOWN)) }),
      },
    ],
  },
];

function lastReport(shown: ShownReport | undefined, rights: Rights): { body: Html; actions?: Html } {
  if (!shown) {
    const words = html`Each night Limitline checks whether all its records agree. ${commandLine('npx limitline reconcile', t`To check now:`)}`;
    return { body: emptyState({ title: t`No nightly check has run yet.`, words }) };
  }
  return {
    body: html`${reportHead(shown.report)}${reportSections(shown, 'page')}`,
    actions: html`${linkButton({ href: reportAddress(shown.report.id), words: t`Open`, kind: 'quiet', label: t`Open the last report` })}${fileButtons(shown.report, rights)}`,
  };
}

/** Links to the files of a report, for people who may download buyers' data. */
export function fileButtons({ id, files }: ShownReport['report'], rights: Rights): Html {
  if (!can(rights, 'GET /nightly/reports/:id/:file')) return NOTHING;
  return html`${linkButton({ href: reportFileAddress(id, 'report.html'), words: t`To print`, kind: 'quiet', download: true })}
    ${files && linkButton({ href: reportFileAddress(id, 'items.csv'), words: t`All items, as CSV`, kind: 'quiet', download: true })}`;
}

/** The findings of one check in one section of a report, from the index `after` on. */
export type ReportPlace = { section: SectionName; check: CheckName; after: number };

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

export type NightlyPageFunctions = {
  report: ReportFunctions;
  rules: RuleFunctions;
  inbox: InboxFunctions;
  events: EventsFunctions;
  notices: NoticesFunctions;
  schedule: ScheduleFunctions;
};
