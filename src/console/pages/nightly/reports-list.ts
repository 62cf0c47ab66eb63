import { grouped } from '../../../counted.ts';
import { countFindings } from '../../../ledger/nightly/compare-reports.ts';
import type { NightReport } from '../../../ledger/nightly/night-report.ts';
import { changeWords } from '../../../ledger/nightly/report-words.ts';
import { type Html, html } from '../../html/html.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { pager } from '../../parts/pager.ts';
import { table } from '../../parts/table.ts';
import { theirWords } from '../../parts/their-words.ts';
import { moment } from '../../parts/time.ts';
import { nightlyAddress, reportAddress } from './nightly-address.ts';

/** The reports that were made before a moment, or last, the newest first. `next` is the moment to go on from. */
export type ReportsPage = { reports: readonly NightReport[]; beforeMs?: number; next?: number };

/** The reports of earlier nights, a line each. */
export function reportsList({ reports, beforeMs, next }: ReportsPage): Html {
  return html`${table({
    caption: 'Reports, the newest first',
    rows: reports,
    empty: emptyState({
      title: 'No report yet.',
      words: 'The first night leaves one, and so does the command reconcile.',
    }),
    columns: [
      {
        head: 'Made',
        names: true,
        cell: ({ id, madeMs }) => html`<a href="${reportAddress(id)}">${moment(madeMs)}</a>`,
      },
      { head: 'By', cell: ({ by }) => theirWords(by) },
      { head: 'Want a person', kind: 'number', cell: (report) => figure(countFindings(report, 'person')) },
      { head: 'For finance', kind: 'number', cell: (report) => figure(countFindings(report, 'finance')) },
      { head: 'Mended', kind: 'number', cell: (report) => figure(countFindings(report, 'mended')) },
      { head: 'Since the one before', cell: (report) => changeWords(report) || '–' },
    ],
  })}
  ${
    (beforeMs !== undefined || next !== undefined) &&
    pager({
      words: '',
      first: beforeMs === undefined ? undefined : nightlyAddress(),
      next: next === undefined ? undefined : nightlyAddress(next),
    })
  }`;
}

/** Nights without anything are quiet in a long list. */
function figure(count: number): Html {
  return count === 0 ? html`<span class="quiet">–</span>` : html`${grouped(count)}`;
}
