import { z } from 'zod';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html, NOTHING } from '../../html/html.ts';
import { linkButton } from '../../parts/form.ts';
import { emptyState } from '../../parts/page-head.ts';
import { commandLine } from '../../parts/text.ts';
import { reportAddress, reportFileAddress } from '../addresses.ts';
import { eventsSection } from '../events/events-section.ts';
import { inboxSection } from './inbox-view.ts';
import type { NightlyPageFunctions } from './nightly-functions.ts';
import { noticesSection } from './notices-view.ts';
import { reportHead, reportSections, reportsList, type ShownReport } from './report-view.ts';
import { rulesSection } from './rules-view.ts';
import { scheduleSection } from './schedule-view.ts';

/** The page's query: which report begins the list, what was asked for, and what became of a rule. */
export const NIGHTLY_QUERY = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional()
    .catch(undefined),
  asked: z.string().optional().catch(undefined),
  rule: z.string().optional().catch(undefined),
});

/** The reader's rights and CSRF token, and the page's query. */
export type Asked = { rights: Rights; csrf: string; query: z.infer<typeof NIGHTLY_QUERY> };

/** A section of the page *Nightly*; `view` reads its data and renders it. */
type NightlySection = {
  title: string;
  view: (given: NightlyPageFunctions, asked: Asked) => Promise<SectionView>;
};

/** A rendered section; `comesFirst` moves an urgent one to the top. */
type SectionView = { body: Html; actions?: Html; comesFirst?: boolean };

/** Notices on the page: one screen. `limitline notices` shows up to 500. */
const NOTICES_SHOWN = 20;

/** Events on the page: one screen. `limitline events` lists more, and exports all. */
const EVENTS_SHOWN = 10;

/** The sections of the page in order. The report comes first, since people open the page for it in the morning. */
export const SECTIONS: readonly NightlySection[] = [
  {
    title: 'The last report',
    view: async ({ report }, { rights }) => lastReport(await report.read(), rights),
  },
  { title: 'Drop folder', view: async ({ inbox }) => ({ body: inboxSection(await inbox.look()) }) },
  {
    title: 'Events of the service',
    view: async ({ events }, { rights }) => {
      const showsEvents = can(rights, 'GET /service-events/:id');
      return { body: eventsSection(await events.look(EVENTS_SHOWN), { showsEvents }) };
    },
  },
  {
    title: 'Sent again at night',
    view: async ({ rules }, { rights, csrf, query }) => {
      const mayChange = can(rights, 'POST /nightly/rules');
      return { body: rulesSection(await rules.look(), { csrf, mayChange, asked: query }) };
    },
  },
  {
    title: 'Notices',
    view: async ({ notices }) => ({ body: noticesSection(await notices.look(NOTICES_SHOWN)) }),
  },
  {
    title: 'Schedule',
    view: async ({ schedule }, { rights, csrf, query }) => {
      const mayRun = can(rights, 'POST /nightly/run/:task');
      const { asked } = query;
      const facts = await schedule.look();
      const comesFirst = facts.onDuty.length === 0 || asked !== undefined;
      return { body: scheduleSection(facts, { csrf, mayRun, asked }), comesFirst };
    },
  },
  {
    title: 'All reports',
    view: async ({ report }, { query }) => ({ body: reportsList(await report.list(query.before)) }),
  },
];

function lastReport(shown: ShownReport | undefined, rights: Rights): { body: Html; actions?: Html } {
  if (!shown) {
    const words = html`Each night Limitline checks whether everything that it stores agrees. To run this check now: ${commandLine('npx limitline reconcile')}`;
    return { body: emptyState({ title: 'No night was checked yet.', words }) };
  }
  return {
    body: html`${reportHead(shown.report)}${reportSections(shown, 'page')}`,
    actions: html`${linkButton({ href: reportAddress(shown.report.id), words: 'Open', kind: 'quiet', label: 'Open the last report' })}${fileButtons(shown.report, rights)}`,
  };
}

/** Links to the files of a report, for people who may download buyers' data. */
export function fileButtons({ id, files }: ShownReport['report'], rights: Rights): Html {
  if (!can(rights, 'GET /nightly/reports/:id/:file')) return NOTHING;
  return html`${linkButton({ href: reportFileAddress(id, 'report.html'), words: 'To print', kind: 'quiet', download: true })}
    ${files && linkButton({ href: reportFileAddress(id, 'items.csv'), words: 'All items, as CSV', kind: 'quiet', download: true })}`;
}
