import { grouped } from '../../../counted.ts';
import { moneyOf } from '../../../ledger/counts/money.ts';
import { grantedOf, isGrantKnown, outcomesOf, soleCurrency } from '../../../ledger/counts/outcome-sums.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { rowCountOf } from '../../../ledger/portfolios/summary.ts';
import type { ArchivedPortfolio } from '../../../ledger/schema/archives.ts';
import { rowsIn, UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import type { PaceState } from '../../../pace/pace-words.ts';
import { timeLeftWords } from '../../../pace/time-left.ts';
import type { Meanings } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, NOTHING, t } from '../../html/html.ts';
import { emptyState, panel, table } from '../../parts/blocks.ts';
import { progressBar, shownCounts, stateBar } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { amount, commandLine, count, minuteOf, money, withNumbers } from '../../parts/text.ts';
import { portfolioAddress } from '../addresses.ts';
import { type PortfolioLook, type PortfolioSeen, workLeftOf } from '../portfolio/portfolio-look.ts';
import { waitsFor, waitWords } from '../portfolio/waits-for.ts';
import { mayWords } from '../who-may.ts';

/** The portfolios of one page, and what is needed to say what they wait for. */
export type PortfoliosLook = {
  portfolios: readonly PortfolioState[];
  meanings: Meanings;
  next?: string;
  /** How many portfolios the account has in Redis, on all pages together. */
  total: number;
  /** How many are archived or forgotten; these are not listed. */
  archived: number;
  /** Those that were archived or forgotten last, the latest first. */
  archivedLately: readonly ArchivedPortfolio[];
  pace: PaceState | undefined;
  workers: number;
  /** Queues that somebody paused, which stops the rows of all portfolios. */
  pausedQueues: readonly string[];
  nowMs: number;
};

/** The text that was searched for, and the rights of the person who searches. */
export type ListedFor = { text: string; rights: Rights };

/** The list of portfolios, without head and search of the page; or a hint how to begin where there are no portfolios. */
export function renderList(look: PortfoliosLook, { text, rights }: ListedFor): Html {
  const { portfolios, total, archived } = look;
  if (total === 0) return archived > 0 ? nothingHere(rights) : nothingYet(rights);
  return table({
    caption: t`Portfolios`,
    rows: portfolios,
    columns: [
      { head: t`Portfolio`, names: true, cell: (state) => nameOf(state) },
      { head: t`Begun (UTC)`, cell: (state) => begunOf(state) },
      { head: t`Rows`, kind: 'number', cell: (state) => grouped(rowCountOf(state) - state.replaced) },
      {
        head: t`By outcome`,
        cell: (state) => stateBar(shownCounts(state, look.meanings), { label: t`Rows of ${state.name} by outcome` }),
      },
      { head: t`Requested`, kind: 'amount', cell: (state) => requestedOf(state, look.meanings) },
      { head: t`Granted`, kind: 'amount', cell: (state) => grantedIn(state, look.meanings) },
      { head: t`Now`, cell: (state) => waitCell(state, look) },
    ],
    empty: emptyState({
      title: t`No portfolio found.`,
      words: html`A name is found by any part of it. Nothing contains “<bdi>${text}</bdi>”.`,
      next: html`<a class="button is-plain" href="/">Show all ${count(total)}</a>`,
    }),
  });
}

function nothingHere(rights: Rights): Html {
  return emptyState({
    title: t`All portfolios are archived.`,
    words: t`A portfolio that is imported from now on is listed here.`,
    next: can(rights, 'GET /new') && linkButton({ href: '/new', words: t`New portfolio`, kind: 'primary' }),
  });
}

function nothingYet(rights: Rights): Html {
  if (!can(rights, 'GET /new')) {
    return emptyState({
      title: t`Nothing was imported yet.`,
      words: t`Portfolios appear here as soon as somebody in finance uploads one.`,
    });
  }
  return emptyState({
    title: t`Nothing was imported yet.`,
    words: t`Drop a CSV file or a workbook of buyers: you see what was understood, and what it would request, before anything is sent.`,
    next: html`${linkButton({ href: '/new', words: t`New portfolio`, kind: 'primary' })}<p>${commandLine('npm start', t`Or try the example, where nothing is really requested:`)}</p>`,
  });
}

function nameOf({ name, file }: PortfolioState): Html {
  return html`<span><a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a>${file && html`<small class="under"><bdi>${file.fileName}</bdi></small>`}</span>`;
}

/** The sum of the requests that the service has answered; below it the sum of all lines in the files, where that differs. */
function requestedOf(state: PortfolioState, meanings: Meanings): Html {
  const { requested, in_file: inFile } = moneyOf(state, outcomesOf(state, meanings));
  const isMore = requested.amount !== inFile.amount;
  return html`<span>${money({ amount: requested.amount, currency: soleCurrency(state) })}${isMore && html`<small class="under">${inFile.with_earlier ? t`in the files` : t`in the file`} ${inFile.at_least && '≥ '}${amount(inFile.amount)}</small>`}${mixedIn(state)}</span>`;
}

/** What the sums of a portfolio add up, where that is not one currency. */
function mixedIn({ currencies }: PortfolioState): Html | false {
  if (currencies.length < 2) return false;
  const words = currencies.includes('') ? t`some without a currency` : t`several currencies`;
  return html`<small class="under">${words}</small>`;
}

function grantedIn(state: PortfolioState, meanings: Meanings): Html {
  if (!isGrantKnown(outcomesOf(state, meanings))) return amount(undefined);
  return money({ amount: grantedOf(state, meanings).granted, currency: soleCurrency(state) });
}

function begunOf({ startedMs, file }: PortfolioState): Html {
  return html`<span>${minuteOf(startedMs)}${file?.by !== undefined && html`<small class="under">${file.by}</small>`}</span>`;
}

function waitCell(state: PortfolioState, { pace, workers, pausedQueues, nowMs }: PortfoliosLook): Html {
  const looked = { state, pace, workers, pausedQueues, nowMs };
  const [first] = waitsFor(looked);
  return html`<span class="${['wait', first && `is-${first.kind}`]}">${waitWords(looked)}</span>`;
}

/** Portfolios with rows still to be sent, and how many there are besides those shown; `isAll` is false if there may be more. */
export type UnderWay = { shown: readonly Shown[]; others: number; isAll: boolean };

/**
 * The unfinished portfolios; among them all paused ones that still have rows to send (`paused`); and the time since when listed
 * portfolios have rejected rows, by name (`rejectedMs`).
 */
export type Running = UnderWay & { paused: readonly PortfolioState[]; rejectedMs: ReadonlyMap<string, number> };

/** An unfinished portfolio, with the names of the people who may resume it if it is paused. */
type Shown = PortfolioSeen & { resume: readonly string[] };

type Looked = Pick<PortfolioLook, 'workers' | 'pausedQueues'>;

/**
 * The panel of the portfolios that are not finished: how far each is, and the time left, as its own page says it. Nothing if all
 * are finished.
 */
export function underWayPanel({ shown, others, isAll }: UnderWay, looked: Looked): Html {
  if (shown.length === 0) return NOTHING;
  return panel({
    title: t`Not finished`,
    body: html`${table({
      caption: t`Portfolios with rows still to be sent`,
      rows: shown,
      columns: [
        {
          head: t`Portfolio`,
          names: true,
          cell: ({ state: { name } }) => html`<a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a>`,
        },
        { head: t`Done`, cell: doneCell },
        { head: t`Time left`, cell: (seen) => leftCell(seen, looked) },
      ],
    })}
    ${others > 0 && html`<p class="quiet">${!isAll && t`At least `}${withNumbers(countWords(others, 'more portfolio is', 'more portfolios are'))} under way.</p>`}`,
  });
}

function doneCell({ state }: PortfolioSeen): Html {
  const total = rowCountOf(state) - state.replaced;
  const done = total - rowsIn(state.states, UNFINISHED_STATES);
  return progressBar({
    label: t`Rows of ${state.name} that are done`,
    done,
    total,
    words: t`${grouped(done)} of ${grouped(total)}`,
  });
}

function leftCell(seen: Shown, looked: Looked): Html {
  const { left } = workLeftOf(seen);
  if (left) return html`${timeLeftWords(left)} left`;
  const [first] = waitsFor({ ...seen, ...looked });
  if (!first) return html`<span class="wait">not known yet</span>`;
  return html`<span><span class="wait is-${first.kind}">${first.title.replace(/\.$/, '')}</span>${first.act === 'resume' && html`<small class="under">${mayWords(seen.resume, t`resume it`)}</small>`}</span>`;
}
