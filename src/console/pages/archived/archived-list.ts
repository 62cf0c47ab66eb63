import { counted, grouped, sizeWords } from '../../../counted.ts';
import { ARCHIVE_STANDING, type ArchivedPortfolio, archivedRows } from '../../../ledger/schema/archives.ts';
import type { Rights } from '../../access/access.ts';
import { can } from '../../access/can.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { linkButton } from '../../parts/button.ts';
import { commandLine } from '../../parts/command-line.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { pageHead } from '../../parts/page-head.ts';
import { pager } from '../../parts/pager.ts';
import { type Column, table } from '../../parts/table.ts';
import { minuteOf } from '../../parts/time.ts';
import { below, portfolioAddress } from '../portfolio/addresses.ts';

/** Where the list stands. */
export const ARCHIVED = '/archived';

type Shown = { archived: readonly ArchivedPortfolio[]; total: number; from: number; rights: Rights };

/** The list of archived portfolios. */
export function archivedPage({ archived, total, from, rights }: Shown): Html {
  const next = from + archived.length;
  return html`${pageHead({
    title: 'Archived portfolios',
    trail: [{ href: '/', words: 'Portfolios' }],
    lead: 'Their rows are in files of the data folder, or gone where one was forgotten. What was requested for them is known all the same, and is not requested again.',
  })}
  ${table({
    caption: 'Archived portfolios',
    rows: archived,
    columns: columnsFor(rights),
    empty: emptyState({
      title: 'No portfolio is archived.',
      words: html`Finished portfolios are archived at night when they are older than LIMITLINE_KEEP_DAYS, or by ${commandLine('npx limitline archive NAME')}`,
      next: linkButton({ href: '/', words: 'To the portfolios' }),
    }),
  })}
  ${
    total > 0 &&
    pager({
      words: `${counted(archived.length, 'portfolio')} of ${grouped(total)}`,
      first: from === 0 ? undefined : ARCHIVED,
      next: next < total && archived.length > 0 ? `${ARCHIVED}?from=${next}` : undefined,
    })
  }`;
}

function columnsFor(rights: Rights): Column<ArchivedPortfolio>[] {
  const columns: Column<ArchivedPortfolio>[] = [
    {
      head: 'Portfolio',
      names: true,
      cell: ({ name }) => html`<a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a>`,
    },
    { head: 'Finished (UTC)', cell: ({ finishedMs }) => minuteOf(finishedMs) },
    { head: 'Archived (UTC)', cell: sinceOf },
    { head: 'Rows', kind: 'number', cell: (one) => grouped(archivedRows(one)) },
    { head: 'Requested', kind: 'amount', cell: ({ requested }) => amount(requested ?? '0') },
    { head: 'Granted', kind: 'amount', cell: ({ granted }) => amount(granted ?? '0') },
    { head: 'Size', kind: 'number', cell: sizeOf },
  ];
  if (!can(rights, 'GET /portfolios/:name/downloads/:file')) return columns;
  return [...columns, { head: 'Download', kind: 'actions', cell: renderDownload }];
}

/** Since when it is where it is; what is not simply archived is said. */
function sinceOf({ is, sinceMs, by }: ArchivedPortfolio): Html {
  const words = is === 'archived' ? `by ${by}` : `${ARCHIVE_STANDING[is]} by ${by}`;
  return html`<span>${minuteOf(sinceMs)}<small class="under">${words}</small></span>`;
}

function sizeOf({ is, sizeBytes }: ArchivedPortfolio): string {
  return is === 'forgotten' || sizeBytes === undefined ? '–' : sizeWords(sizeBytes);
}

/** Its results, as they were when it was archived; nothing where it has none any more, or changes just now. */
export function renderDownload({ name, is }: Pick<ArchivedPortfolio, 'name' | 'is'>): Html {
  if (is !== 'archived') return html``;
  return linkButton({
    href: below(name, 'downloads', 'results.csv'),
    words: 'Results',
    kind: 'quiet',
    download: true,
    label: `Download: results of ${name}`,
  });
}
