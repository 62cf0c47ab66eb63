import { moneyOf } from '../../../ledger/counts/money.ts';
import type { AmountIn } from '../../../ledger/counts/outcome-sums.ts';
import { grantedOf, outcomesOf, soleCurrency, sumsByCurrency } from '../../../ledger/counts/outcome-sums.ts';
import { ANSWER_OUTCOMES, type RowOutcome } from '../../../ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import type { NewsKind, NewsPage, NewsSum } from '../../../ledger/rows/answered-lately.ts';
import type { ArchivedPortfolio } from '../../../ledger/schema/archives.ts';
import { visible } from '../../../portfolio/problem.ts';
import { APPROVED } from '../../../status-meaning.ts';
import { countWords, type Html, html, NOTHING, t } from '../../html/html.ts';
import { emptyState, pageHead, pager, panel, table } from '../../parts/blocks.ts';
import { stats } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { count, cutWords, minuteOf, moment, money, sumsPart, theirWords, withNumbers } from '../../parts/text.ts';
import { portfolioAddress, rowAddress } from '../addresses.ts';
import { ARCHIVED } from '../archived/archived-routes.ts';
import { NEWS } from './needs-you.ts';
import type { PortfoliosLook } from './portfolios-list.ts';

const GRANTED: readonly RowOutcome[] = ['approved', 'partly_approved'];

/** The figures of portfolios, each a sum over the rows with one of these outcomes. With `ifAny` a figure without rows is left out. */
const FIGURES: readonly {
  label: string;
  outcomes: readonly RowOutcome[];
  of: 'requested' | 'granted';
  ifAny?: boolean;
}[] = [
  { label: t`Requested`, outcomes: ANSWER_OUTCOMES, of: 'requested' },
  { label: t`Granted`, outcomes: GRANTED, of: 'granted' },
  { label: t`Under review`, outcomes: ['under_review'], of: 'requested' },
  { label: t`Declined`, outcomes: ['declined'], of: 'requested' },
  { label: t`Outcome not known`, outcomes: ['answered'], of: 'requested', ifAny: true },
];

type Look = Pick<PortfoliosLook, 'portfolios' | 'total' | 'archivedLately' | 'archived' | 'meanings' | 'nowMs'>;

/**
 * The sums that were requested in the portfolios begun in this month (UTC), and what became of them, by currency. Then the same of all
 * portfolios, if others were begun earlier. The sums are those that each portfolio keeps.
 *
 * @param look.total if there are more portfolios than `portfolios`, the newest ones, the sums may be lower bounds
 * @param look.archivedLately those that were archived last; the sums lack them, and a sentence has theirs
 */
export function requestedSums(look: Look): Html {
  const { portfolios, total, archivedLately, nowMs } = look;
  const month = monthOf(nowMs);
  const ofMonth = portfolios.filter(({ startedMs = 0 }) => monthOf(startedMs) === month);
  const listed = new Set(portfolios.map(({ name }) => name));
  const archived = archivedLately.filter(({ name, startedMs }) => monthOf(startedMs) === month && !listed.has(name));
  const hasOlder = ofMonth.length < portfolios.length;
  const isAll = portfolios.length === total;
  return html`${
    ofMonth.length + archived.length > 0 &&
    panel({
      title: t`This month`,
      body: html`${figuresOf(ofMonth, look, hasOlder || isAll)}${sinceWords(month)}${archived.length > 0 && archivedWords(archived)}`,
    })
  }${hasOlder && panel({ title: t`In all portfolios`, body: html`${figuresOf(portfolios, look, isAll, true)}${look.archived > 0 && html`<p class="quiet">Not in these sums: <a href="${ARCHIVED}">${withNumbers(countWords(look.archived, 'archived portfolio'))}</a>.</p>`}` })}`;
}

/** The figures of some portfolios; they are lower bounds unless `areAll`. With `isAvailable` they have what is still available, too. */
function figuresOf(
  some: readonly PortfolioState[],
  { portfolios, meanings }: Look,
  areAll: boolean,
  isAvailable = false,
) {
  const all = some.map((state) => {
    const sums = outcomesOf(state, meanings);
    const { available, withoutAvailable } = grantedOf(state, meanings);
    const [currency, inFile] = [soleCurrency(state), moneyOf(state, sums).in_file];
    return { name: state.name, currency, sums, inFile, available, withoutAvailable };
  });
  const inFiles = sumsByCurrency(all.map(({ currency, inFile: { amount } }) => ({ amount, currency })));
  const areWhole = areAll && all.every(({ inFile }) => !inFile.at_least);
  const figures = FIGURES.flatMap(({ label, outcomes, of, ifAny }) => {
    const parts = all.flatMap(({ name, currency, sums }) => outcomes.map((one) => ({ ...sums[one], name, currency })));
    const counted = parts.filter(({ rows }) => rows > 0);
    const amounts: AmountIn[] = counted.map((one) => ({ amount: one[of], currency: one.currency }));
    const rows = counted.reduce((sum, one) => sum + one.rows, 0);
    if (rows === 0 && ifAny) return [];
    const value = rows === 0 ? '–' : sumsPart(sumsByCurrency(amounts), areAll);
    const requests = `${areAll ? '' : t`at least `}${countWords(rows, 'request')}`;
    const asked = counted.map((one) => ({ amount: one.requested, currency: one.currency }));
    const words =
      of === 'granted' && rows > 0
        ? html`of ${sumsPart(sumsByCurrency(asked), areAll)} requested in ${requests}`
        : html`${requests}`;
    const beside =
      outcomes.length === 1
        ? rows > 0 && html` in ${placesOf(counted, outcomes)}`
        : of === 'requested' && isMore(inFiles, amounts) && html` · in the files ${sumsPart(inFiles, areWhole)}`;
    return { label, value, hint: html`${words}${beside}` };
  });
  const unknown = all.reduce((sum, { withoutAvailable }) => sum + withoutAvailable, 0);
  const granted = all.filter(
    (one) => one.withoutAvailable > 0 || GRANTED.some((outcome) => one.sums[outcome].rows > 0),
  );
  const available = sumsByCurrency(granted.map(({ available: sum, currency }) => ({ amount: sum, currency })));
  const left = {
    label: t`Available`,
    value: granted.length === 0 ? '–' : sumsPart(available, areAll && unknown === 0),
    hint: withNumbers(unknown > 0 ? t`not known of ${countWords(unknown, 'request')}` : t`of what was granted`),
  };
  const mixed = some.filter(({ currencies }) => currencies.length > 1).map(({ name }) => ({ name, rows: 0 }));
  return html`${stats(isAvailable ? figures.toSpliced(2, 0, left) : figures)}${mixed.length > 0 && html`<p class="quiet">The files of ${placesOf(mixed, [])} name several currencies, or some of them none. Their sums stand here without a currency.</p>`}${!areAll && html`<p class="quiet">These sums cover the newest ${withNumbers(countWords(portfolios.length, 'portfolio'))} alone, so they are lower bounds.</p>`}`;
}

/** Whether the files ask for other sums than were requested: rows that are rejected, wait or need an answer are in no sum of requests. */
function isMore(inFiles: readonly AmountIn[], requested: readonly AmountIn[]): boolean {
  const sums = sumsByCurrency(requested);
  const sumOf = (currency: string | undefined) => sums.find((one) => one.currency === currency)?.amount ?? '0.00';
  return inFiles.some(({ amount, currency }) => amount !== sumOf(currency));
}

/** Links to the portfolios that have the most rows with these outcomes, and the number of the other portfolios. */
function placesOf(parts: readonly { name: string; rows: number }[], outcomes: readonly RowOutcome[]): Html {
  const most = parts.toSorted((one, other) => other.rows - one.rows).slice(0, MOST_PLACES);
  const links = most.map(
    ({ name }, at) => html`${at > 0 && ', '}<a href="${portfolioAddress(name, { outcomes })}"><bdi>${name}</bdi></a>`,
  );
  const others = parts.length - most.length;
  return html`${links}${others > 0 && html` and ${count(others)} more`}`;
}

/** The sums of the month's portfolios that are archived by now, by currency. */
function archivedWords(archived: readonly ArchivedPortfolio[]): Html {
  const known = archived.filter(({ requested }) => requested !== undefined);
  const sumOf = (of: 'requested' | 'granted') =>
    sumsByCurrency(known.map(({ currency, [of]: sum = '0' }) => ({ amount: sum, currency }))).map(
      (sum, at) => html`${at > 0 && ', '}${money(sum)}`,
    );
  const others = archived.length - known.length;
  return html`<p class="quiet">Not in these sums: <a href="${ARCHIVED}">${withNumbers(countWords(archived.length, 'portfolio'))} of this month, archived or forgotten since</a>${known.length > 0 && html`, with ${sumOf('requested')} requested and ${sumOf('granted')} granted`}${others > 0 && t`, of which ${countWords(others, 'has', 'have')} no sums any more`}.</p>`;
}

const MOST_PLACES = 3;

const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7);

/** When the month began. The page shows times in the reader's zone, in which a portfolio may stand under another month. */
const sinceWords = (month: string): Html =>
  html`<p class="quiet">Portfolios that were begun since ${moment(Date.parse(`${month}-01T00:00:00Z`))}: the month begins at midnight UTC.</p>`;

/**
 * The status of a declined request. An approval that grants nothing counts as declined, and a text below the status says so. Another
 * text says what an earlier answer had granted.
 */
function statusCell({ status, before, currency }: NewsPage['items'][number]): Html {
  const withdrawn =
    before !== undefined && html`<small class="under">${money({ amount: before, currency })} had been granted</small>`;
  return html`<span>${cutWords(visible(status))}${status === APPROVED && html`<small class="under">nothing was granted</small>`}${withdrawn}</span>`;
}

export const NEWS_TITLES: Record<NewsKind, string> = {
  declined: t`Declined in the last 7 days`,
  lowered: t`Lowered in the last 7 days`,
};

/** The parts in which the pages of declined and of lowered requests differ. `outcomes`: the rows to which a portfolio's link leads. */
const NEWS_PARTS = {
  declined: {
    lead: t`The service declined these requests, at once or by a later decision.`,
    caption: t`Requests that were declined, the latest first`,
    outcomes: ['declined'] as const,
    columns: [
      { head: t`Status`, cell: statusCell },
      { head: t`Declined (UTC)`, cell: ({ atMs }: NewsPage['items'][number]) => minuteOf(atMs) },
    ],
    none: t`Nothing was declined in the last 7 days.`,
    noneSeen: t`Nothing was declined in the answers that are looked at.`,
    earlier: t`What was declined earlier stands on the page of its portfolio.`,
  },
  lowered: {
    lead: t`The service had granted more for these requests. A later decision lowered their limits, or leaves open what is granted.`,
    caption: t`Requests whose limits were lowered, the latest first`,
    outcomes: [...GRANTED, 'under_review', 'answered'] as const,
    columns: [
      {
        head: t`Granted before`,
        kind: 'amount' as const,
        cell: ({ before, currency }: NewsPage['items'][number]) =>
          before === undefined ? NOTHING : money({ amount: before, currency }),
      },
      {
        head: t`Granted now`,
        kind: 'amount' as const,
        cell: ({ granted, currency, status }: NewsPage['items'][number]) =>
          granted === undefined
            ? html`<span>–<small class="under">${cutWords(visible(status))}</small></span>`
            : money({ amount: granted, currency }),
      },
      { head: t`Lowered (UTC)`, cell: ({ atMs }: NewsPage['items'][number]) => minuteOf(atMs) },
    ],
    none: t`No limit was lowered in the last 7 days.`,
    noneSeen: t`No limit was lowered in the answers that are looked at.`,
    earlier: t`Later decisions stand on the page of each request.`,
  },
};

export function newsPage(
  kind: NewsKind,
  { items, next, total, isAll }: NewsPage,
  { sum, after }: { sum: NewsSum; after: string },
): Html {
  const { lead, caption, outcomes, columns, none, noneSeen, earlier } = NEWS_PARTS[kind];
  return html`${pageHead({
    title: NEWS_TITLES[kind],
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: html`${lead}${!isAll && t` There may be more: only its latest answers are looked at, and none of archived portfolios.`}`,
  })}
  ${kind === 'declined' && sum.rows > 0 && stats([{ label: t`Requested and declined`, value: sumsPart(sum.sums, sum.isAll), hint: countWords(sum.rows, 'request') }])}
  ${table({
    caption,
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
          html`<a href="${portfolioAddress(portfolio, { outcomes })}"><bdi>${portfolio}</bdi></a>`,
      },
      { head: t`Requested`, kind: 'amount', cell: money },
      ...columns,
    ],
    empty: emptyState({
      title: isAll ? none : noneSeen,
      words: earlier,
      next: linkButton({ href: '/', words: t`To the portfolios` }),
    }),
  })}
  ${pager({
    words: `${countWords(total, 'request')}${isAll ? '' : t` or more`}`,
    first: after === '' ? undefined : NEWS[kind],
    next: next && `${NEWS[kind]}?after=${encodeURIComponent(next)}`,
  })}`;
}
