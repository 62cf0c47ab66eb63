import type { DeclinedPage, DeclinedSum } from '../../../ledger/rows/answered-lately.ts';
import { visible } from '../../../portfolio/problem.ts';
import { APPROVED } from '../../../status-meaning.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { stats } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { emptyState, pageHead } from '../../parts/page-head.ts';
import { pager, table } from '../../parts/table.ts';
import { cutWords, minuteOf, theirWords } from '../../parts/text.ts';
import { portfolioAddress, rowAddress } from '../addresses.ts';
import { money, sumsPart } from '../held/held-page.ts';
import { DECLINED } from './needs-you.ts';

/** The status of a declined request. An approval that grants nothing counts as declined, and a text below the status says so. */
function statusCell(status: string): Html {
  return html`<span>${cutWords(visible(status))}${status === APPROVED && html`<small class="under">nothing was granted</small>`}</span>`;
}

export function declinedPage(
  { items, next, total, isAll }: DeclinedPage,
  { sum, after }: { sum: DeclinedSum; after: string },
): Html {
  return html`${pageHead({
    title: t`Declined in the last 24 hours`,
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: html`The service declined these requests, at once or by a later decision.${!isAll && t` There may be more: only its latest answers are looked at, and none of archived portfolios.`}`,
  })}
  ${sum.rows > 0 && stats([{ label: t`Requested and declined`, value: sumsPart(sum.sums, sum.isAll), hint: countWords(sum.rows, 'request') }])}
  ${table({
    caption: t`Requests that were declined, the latest first`,
    rows: items,
    columns: [
      {
        head: t`Buyer`,
        names: true,
        cell: ({ row, name }) => html`<a href="${rowAddress(row)}">${theirWords(name)}</a>`,
      },
      {
        head: t`Portfolio`,
        cell: ({ row: { portfolio } }) =>
          html`<a href="${portfolioAddress(portfolio, { outcomes: ['declined'] })}"><bdi>${portfolio}</bdi></a>`,
      },
      { head: t`Requested`, kind: 'amount', cell: money },
      { head: t`Status`, cell: ({ status }) => statusCell(status) },
      { head: t`Declined (UTC)`, cell: ({ atMs }) => minuteOf(atMs) },
    ],
    empty: emptyState({
      title: isAll
        ? t`Nothing was declined in the last 24 hours.`
        : t`Nothing was declined in the answers that are looked at.`,
      words: t`What was declined earlier stands on the page of its portfolio.`,
      next: linkButton({ href: '/', words: t`To the portfolios` }),
    }),
  })}
  ${pager({
    words: `${countWords(total, 'request')}${isAll ? '' : t` or more`}`,
    first: after === '' ? undefined : DECLINED,
    next: next && `${DECLINED}?after=${encodeURIComponent(next)}`,
  })}`;
}
