import type { FoundBuyers, FoundLines } from '../../../ledger/story/buyer-story.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { type Html, html } from '../../html/html.ts';
import { countWords, t } from '../../html/texts.ts';
import { button, field, form } from '../../parts/form.ts';
import { emptyState, notice, pageHead } from '../../parts/page-head.ts';
import { pager, table } from '../../parts/table.ts';
import { advice, theirWords } from '../../parts/text.ts';
import { buyerAddress, portfolioAddress } from '../addresses.ts';
import { outcomeOf, requestLink, shownBuyer } from './buyer-page.ts';

export function foundPage(
  { buyers, gone, next }: FoundBuyers,
  { text, after, meanings, faulty }: { text: string; after: string; meanings: Meanings; faulty: FoundLines },
): Html {
  const addressOf = (place: string) =>
    `/search?${new URLSearchParams({ text, ...(place !== '' && { after: place }) })}`;
  return html`${pageHead({
    title: t`Find a buyer`,
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: t`In all portfolios: by the beginning of a name’s word or of a number, or by a whole reference or id`,
  })}
  ${form({
    action: '/search',
    method: 'get',
    role: 'search',
    label: t`Buyers of all portfolios`,
    class: 'search',
    body: html`${field({ label: t`Name, number, reference or id`, name: 'text', type: 'search', value: text, hideLabel: true, maxlength: 200 })}${button({ words: t`Find` })}`,
  })}
  ${gone.map((request) => notice('info', html`Requested in ${requestLink(request)} ${outcomeOf(request, meanings)}`))}
  ${
    text !== '' &&
    html`${table({
      caption: t`Buyers`,
      rows: buyers,
      columns: [
        {
          head: t`Buyer`,
          names: true,
          cell: (buyer) => html`<a href="${buyerAddress(buyer.key)}">${theirWords(shownBuyer(buyer))}</a>`,
        },
        { head: t`Reference`, cell: ({ reference }) => (reference === '' ? '–' : theirWords(reference)) },
        { head: t`Requests`, kind: 'number', cell: ({ count, isWhole }) => `${count}${isWhole ? '' : '+'}` },
        {
          head: t`Latest`,
          cell: ({ requests }) =>
            html`<div>${requests.map((request) => html`<p>${requestLink(request)} ${outcomeOf(request, meanings)}</p>`)}</div>`,
        },
      ],
      empty: nothingFound(text, next, faulty),
    })}
    ${pager({
      words: buyers.length > 0 ? countWords(buyers.length, 'buyer') : '',
      first: after === '' ? undefined : addressOf(''),
      next: next === undefined ? undefined : addressOf(next),
    })}
    ${faulty.lines.length > 0 && foundLines(text, faulty.lines)}`
  }`;
}

/** A table of the lines found that led to no request. Their buyers are not known. */
function foundLines(text: string, lines: FoundLines['lines']): Html {
  return table({
    caption: t`Lines that led to no request`,
    rows: lines,
    columns: [
      { head: t`Name`, names: true, cell: ({ name = '' }) => theirWords(name) },
      {
        head: t`Line`,
        cell: ({ portfolio, line, kind }) =>
          html`<a href="${portfolioAddress(portfolio, { text }, { lines: [kind] })}">line ${line}</a> in <bdi>${portfolio}</bdi>`,
      },
      { head: t`Problem`, cell: ({ message }) => html`<span class="row-problem">${advice(message)}</span>` },
    ],
  });
}

function nothingFound(text: string, next: string | undefined, { lines, unread }: FoundLines): Html {
  if (next !== undefined) {
    return emptyState({
      title: t`None so far.`,
      words: t`There are more buyers to look through: go on with “Next”, or write more of the name.`,
    });
  }
  return emptyState({
    title: t`No buyer was found.`,
    words: html`Nothing is known as “<bdi>${text}</bdi>”. Words of a name are found by their beginnings, from two letters on; legal forms such as GmbH are left out. References and ids are found whole only: K10001, and not K1000.${lines.length > 0 && html` Lines that led to no request are below.`}${unread.length > 0 && html` Lines to fix of these portfolios are not searched here: ${unread.map((name) => html`<a href="${portfolioAddress(name, {}, { lines: ['invalid'] })}"><bdi>${name}</bdi></a> `)}`}`,
  });
}
