import { counted } from '../../../counted.ts';
import type { DeclinedPage } from '../../../ledger/rows/answered-lately.ts';
import { visible } from '../../../portfolio/problem.ts';
import { type Html, html } from '../../html/html.ts';
import { linkButton } from '../../parts/form.ts';
import { emptyState, pageHead } from '../../parts/page-head.ts';
import { pager, table } from '../../parts/table.ts';
import { cutWords, minuteOf, theirWords } from '../../parts/text.ts';
import { portfolioAddress, rowAddress } from '../addresses.ts';
import { money } from '../held/held-page.ts';
import { DECLINED } from './needs-you.ts';

/** The page of what the service declined within a day, in all portfolios, the latest first. */
export function declinedPage({ items, next, total, isAll }: DeclinedPage, after: string): Html {
  return html`${pageHead({
    title: 'Declined in the last 24 hours',
    trail: [{ href: '/', words: 'Portfolios' }],
    lead: html`The service declined these requests, at once or by a later decision.${!isAll && ' There may be more: only its latest answers are looked at, and none of archived portfolios.'}`,
  })}
  ${table({
    caption: 'Requests that were declined, the latest first',
    rows: items,
    columns: [
      {
        head: 'Buyer',
        names: true,
        cell: ({ row, name }) => html`<a href="${rowAddress(row)}">${theirWords(name)}</a>`,
      },
      {
        head: 'Portfolio',
        cell: ({ row: { portfolio } }) =>
          html`<a href="${portfolioAddress(portfolio, { outcomes: ['declined'] })}"><bdi>${portfolio}</bdi></a>`,
      },
      { head: 'Requested', kind: 'amount', cell: money },
      { head: 'Status', cell: ({ status }) => cutWords(visible(status)) },
      { head: 'Declined (UTC)', cell: ({ atMs }) => minuteOf(atMs) },
    ],
    empty: emptyState({
      title: isAll
        ? 'Nothing was declined in the last 24 hours.'
        : 'Nothing was declined in the answers that are looked at.',
      words: 'What was declined earlier stands on the page of its portfolio.',
      next: linkButton({ href: '/', words: 'To the portfolios' }),
    }),
  })}
  ${pager({
    words: `${counted(total, 'request')}${isAll ? '' : ' or more'}`,
    first: after === '' ? undefined : DECLINED,
    next: next && `${DECLINED}?after=${encodeURIComponent(next)}`,
  })}`;
}
