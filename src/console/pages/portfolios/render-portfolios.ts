import { counted, grouped } from '../../../counted.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { rowCountOf } from '../../../ledger/portfolios/summary.ts';
import type { Rights } from '../../access/access.ts';
import { can } from '../../access/can.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { button, linkButton } from '../../parts/button.ts';
import { commandLine } from '../../parts/command-line.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { field, form } from '../../parts/form.ts';
import { pageHead } from '../../parts/page-head.ts';
import { pager } from '../../parts/pager.ts';
import { stateBar } from '../../parts/state.ts';
import { table } from '../../parts/table.ts';
import { minuteOf } from '../../parts/time.ts';
import { ARCHIVED } from '../archived/archived-list.ts';
import { portfolioAddress } from '../portfolio/addresses.ts';
import { waitsFor, waitWords } from '../portfolio/waits-for.ts';
import type { PortfoliosLook } from './portfolios-look.ts';

/** What is looked for, by somebody with these rights. */
type Listed = { text: string; rights: Rights };

/** The list of portfolios, or what to do where there is none. */
export function renderPortfolios(look: PortfoliosLook, given: Listed & { after: string }): Html {
  const { text, after, rights } = given;
  const { portfolios, total, next, archived } = look;
  const head = pageHead({
    title: 'Portfolios',
    ...(total === 0 ? {} : { lead: `${counted(total, 'portfolio')} in this account, the newest first` }),
    actions: can(rights, 'GET /new') && linkButton({ href: '/new', words: 'New portfolio', kind: 'primary' }),
  });
  if (total === 0) return html`${head}<div id="${LIST_ID}">${renderList(look, given)}</div>${archivedLine(archived)}`;
  return html`${head}
    ${form({
      action: '/',
      method: 'get',
      role: 'search',
      label: 'Portfolios',
      class: 'search',
      body: html`${field({ label: 'Find a portfolio by its name', name: 'text', type: 'search', value: text, placeholder: 'part of a name', hideLabel: true, maxlength: 100 })}${button({ words: 'Find' })}${text !== '' && html`<a class="button is-quiet" href="/">Show all</a>`}`,
    })}
    <div id="${LIST_ID}">${renderList(look, given)}</div>
    ${pager({
      words: counted(portfolios.length, 'portfolio'),
      first: after === '' ? undefined : addressOf(text),
      next: next === undefined ? undefined : addressOf(text, next),
    })}
    ${archivedLine(archived, text)}`;
}

/** Who looks for one that is not in the list may find it there. */
function archivedLine(archived: number, text = ''): Html {
  if (archived === 0) return html``;
  return html`<p class="quiet"><a href="${ARCHIVED}">${grouped(archived)} archived or forgotten</a>${text !== '' && ', not searched here'}: what is archived is kept in files, and brought back on request.</p>`;
}

/** Where the list stands in its page, and in the frames of its events. */
export const LIST_ID = 'portfolios-list';

/** The portfolios alone, or what to do where there is none. */
export function renderList(look: PortfoliosLook, { text, rights }: Listed): Html {
  const { portfolios, total, archived } = look;
  if (total === 0) return archived > 0 ? nothingHere(rights) : nothingYet(rights);
  return table({
    caption: 'Portfolios',
    rows: portfolios,
    columns: [
      { head: 'Portfolio', names: true, cell: (state) => nameOf(state) },
      { head: 'Begun (UTC)', cell: (state) => begunOf(state) },
      { head: 'Rows', kind: 'number', cell: (state) => grouped(rowCountOf(state)) },
      { head: 'By state', cell: (state) => stateBar(state.states, { label: `Rows of ${state.name} by state` }) },
      {
        head: 'Requested',
        kind: 'amount',
        cell: ({ sums: { requested, inAllRows } }) =>
          html`<span>${amount(requested)}${requested !== inAllRows && html`<small class="under">of ${amount(inAllRows)}</small>`}</span>`,
      },
      { head: 'Granted', kind: 'amount', cell: ({ sums }) => amount(sums.granted) },
      { head: 'Waits for', cell: (state) => waitCell(state, look) },
    ],
    empty: emptyState({
      title: 'No portfolio has such a name.',
      words: html`A name is found by any part of it. Nothing contains “<bdi>${text}</bdi>”.`,
      next: html`<a class="button is-plain" href="/">Show all ${grouped(total)}</a>`,
    }),
  });
}

function nothingHere(rights: Rights): Html {
  return emptyState({
    title: 'All portfolios are archived.',
    words: 'What is imported from now on stands here.',
    next: can(rights, 'GET /new') && linkButton({ href: '/new', words: 'New portfolio', kind: 'primary' }),
  });
}

function nothingYet(rights: Rights): Html {
  if (!can(rights, 'GET /new')) {
    return emptyState({
      title: 'Nothing was imported yet.',
      words: 'Portfolios stand here as soon as somebody of finance uploads one.',
    });
  }
  return emptyState({
    title: 'Nothing was imported yet.',
    words:
      'Drop a CSV file or a workbook of buyers: you see what was understood, and what it would request, before anything is sent.',
    next: html`${linkButton({ href: '/new', words: 'New portfolio', kind: 'primary' })}<p>Or try the example, on a stand-in of the service: ${commandLine('npm start')}</p>`,
  });
}

function nameOf({ name, file }: PortfolioState): Html {
  return html`<span><a href="${portfolioAddress(name)}"><bdi>${name}</bdi></a>${file && html`<small class="under"><bdi>${file.fileName}</bdi></small>`}</span>`;
}

function begunOf({ startedMs, file }: PortfolioState): Html {
  return html`<span>${minuteOf(startedMs)}${file?.by !== undefined && html`<small class="under">${file.by}</small>`}</span>`;
}

function waitCell(state: PortfolioState, { pace, workers, pausedQueues, nowMs }: PortfoliosLook): Html {
  const looked = { state, pace, workers, pausedQueues, nowMs };
  const [first] = waitsFor(looked);
  return html`<span class="${['wait', first && `is-${first.kind}`]}">${waitWords(looked)}</span>`;
}

function addressOf(text: string, after?: string): string {
  const query = new URLSearchParams();
  if (text !== '') query.set('text', text);
  if (after !== undefined) query.set('after', after);
  return query.size === 0 ? '/' : `/?${query}`;
}
