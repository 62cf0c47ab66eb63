import { z } from 'zod';
import { grouped, sizeWords } from '../../../counted.ts';
import { ARCHIVE_STANDING, type ArchivedPortfolio, archivedRows } from '../../../ledger/schema/archives.ts';
import { capitalized } from '../../../sentence.ts';
import { can, LOOKS, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, t, translated } from '../../html/html.ts';
import { emptyState, notice, pageHead, pager, panel, type TableColumn, table } from '../../parts/blocks.ts';
import { facts, stateBar } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { commandLine, minuteOf, moment, money, shellWord } from '../../parts/text.ts';
import { below, portfolioAddress } from '../addresses.ts';
import { digits, page } from '../page.ts';

export type ArchivedPageFunctions = {
  /** One page of the list, the latest archived first: `count` portfolios from index `from` on. `total` counts all archived portfolios. */
  page: (from: number, count: number) => Promise<{ archived: readonly ArchivedPortfolio[]; total: number }>;
};

/** Portfolios on one page: a screen and a half, as in the list of portfolios. */
const ARCHIVED_SHOWN = 40;

/** The highest index at which an address may begin the list, so that Redis never skips more portfolios; no account has as many. */
const MOST_PLACES = 1_000_000;

/** `/archived`: the portfolios whose rows are in files, or were forgotten. */
export const archivedPortfoliosPage = page<ArchivedPageFunctions>({ at: 'portfolios' }, ({ get }) => [
  get('/archived', {
    may: LOOKS,
    query: z.object({ from: digits(7) }),
    show: async ({ query, given, rights }) => {
      const from = Math.min(query.from, MOST_PLACES);
      const { archived, total } = await given.page(from, ARCHIVED_SHOWN);
      return { title: t`Archived portfolios`, body: archivedPage({ archived, total, from, rights }) };
    },
  }),
]);

export const ARCHIVED = '/archived';

type Shown = { archived: readonly ArchivedPortfolio[]; total: number; from: number; rights: Rights };

function archivedPage({ archived, total, from, rights }: Shown): Html {
  const next = from + archived.length;
  return html`${pageHead({
    title: t`Archived portfolios`,
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: t`Rows of these portfolios are stored in files, or were deleted. What was requested for them is still known, and is not requested again.`,
  })}
  ${table({
    caption: t`Archived portfolios`,
    rows: archived,
    columns: columnsFor(rights),
    empty: emptyState({
      title: t`No archived portfolios yet.`,
      words: html`Finished portfolios can be archived at night, once they are old enough. ${commandLine('npx limitline archive NAME')} ${commandLine('LIMITLINE_KEEP_DAYS', t`Setting:`)}`,
      next: linkButton({ href: '/', words: t`To the portfolios` }),
    }),
  })}
  ${
    total > 0 &&
    pager({
      words: t`${countWords(archived.length, 'portfolio')} of ${grouped(total)}`,
      first: from === 0 ? undefined : ARCHIVED,
      next: next < total && archived.length > 0 ? `${ARCHIVED}?from=${next}` : undefined,
    })
  }`;
}

function columnsFor(rights: Rights): TableColumn<ArchivedPortfolio>[] {
  const columns: TableColumn<ArchivedPortfolio>[] = [
    {
      head: t`Portfolio`,
      names: true,
      cell: ({ name }) => html`<a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a>`,
    },
    { head: t`Finished (UTC)`, cell: ({ finishedMs }) => minuteOf(finishedMs) },
    { head: t`Archived (UTC)`, cell: sinceOf },
    { head: t`Rows`, kind: 'number', cell: (one) => grouped(archivedRows(one)) },
    {
      head: t`Requested`,
      kind: 'amount',
      cell: ({ requested = '0', currency }) => money({ amount: requested, currency }),
    },
    { head: t`Granted`, kind: 'amount', cell: ({ granted = '0', currency }) => money({ amount: granted, currency }) },
    { head: t`Size`, kind: 'number', cell: sizeOf },
  ];
  if (!can(rights, 'GET /portfolios/:name/downloads/:file')) return columns;
  return [...columns, { head: t`Download`, kind: 'actions', cell: renderDownload }];
}

/** When the portfolio was archived and by whom; its state too, unless that is plainly archived. */
function sinceOf({ is, sinceMs, by }: ArchivedPortfolio): Html {
  const words = is === 'archived' ? t`by ${by}` : t`${translated(ARCHIVE_STANDING[is])} by ${by}`;
  return html`<span>${minuteOf(sinceMs)}<small class="under">${words}</small></span>`;
}

function sizeOf({ is, sizeBytes }: ArchivedPortfolio): string {
  return is === 'forgotten' || sizeBytes === undefined ? '–' : sizeWords(sizeBytes);
}

/** A link to the results at the time of archiving; nothing for a forgotten portfolio, or during a change. */
function renderDownload({ name, is }: Pick<ArchivedPortfolio, 'name' | 'is'>): Html {
  if (is !== 'archived') return html``;
  return linkButton({
    href: below(name, 'downloads', 'results.csv'),
    words: t`Download CSV`,
    kind: 'quiet',
    download: true,
    label: t`Download CSV: results of ${name}`,
  });
}

/** The page of a portfolio whose rows are not in Redis: its figures, and how to restore its rows. */
export function archivedPortfolioPage(archived: ArchivedPortfolio, rights: Rights): Html {
  const { name, is, by, sinceMs, startedMs, finishedMs, states = {}, sizeBytes } = archived;
  const { requested = '0', granted = '0', currency } = archived;
  const rows = archivedRows(archived);
  const standing = translated(ARCHIVE_STANDING[is]);
  return html`${pageHead({
    title: html`<bdi>${name}</bdi>`,
    trail: [
      { href: '/', words: t`Portfolios` },
      { href: ARCHIVED, words: t`Archived` },
    ],
    lead: html`${capitalized(standing)} since ${moment(sinceMs)}, by ${by}`,
    actions: can(rights, 'GET /portfolios/:name/downloads/:file') && renderDownload(archived),
  })}
  ${whatItMeans(archived)}
  ${panel({
    title: t`What it was`,
    body: html`${stateBar(states, { label: t`Rows of ${name} by state`, legend: true })}
    ${facts([
      { term: t`Rows`, what: grouped(rows) },
      { term: t`Requested`, what: money({ amount: requested, currency }) },
      { term: t`Granted`, what: money({ amount: granted, currency }) },
      { term: t`Begun`, what: moment(startedMs) },
      { term: t`Finished`, what: moment(finishedMs) },
      ...(is === 'forgotten' || sizeBytes === undefined ? [] : [{ term: t`Its files`, what: sizeWords(sizeBytes) }]),
    ])}`,
  })}`;
}

function whatItMeans(archived: ArchivedPortfolio): Html {
  const { name, is } = archived;
  const word = shellWord(name);
  switch (is) {
    case 'archived':
      return notice(
        'info',
        html`Limitline still knows its requests, and makes none of them again. An operator can restore the portfolio, so that its rows are shown here. ${commandLine(`npx limitline restore ${word}`)}`,
        { title: t`Its ${countWords(archivedRows(archived), 'row is', 'rows are')} archived.` },
      );
    case 'archiving':
    case 'leaving':
      return goesOn(t`It is being archived.`, `npx limitline archive ${word}`);
    case 'restoring':
      return goesOn(t`It is being restored.`, `npx limitline restore ${word}`);
    case 'forgetting':
      return goesOn(t`It is being deleted.`, `npx limitline forget ${word}`);
    case 'forgotten':
      return notice(
        'info',
        t`Personal data was deleted for good. A limit that was requested is still never requested a second time.`,
        { title: t`Its data was deleted.` },
      );
  }
}

function goesOn(title: string, command: string): Html {
  return notice('warn', html`If it does not finish, an operator can continue it. ${commandLine(command)}`, { title });
}
