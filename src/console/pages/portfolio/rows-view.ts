import { counted } from '../../../counted.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { answeredOtherwise, ROW_STATES, type RowResult, UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import type { RowFilter } from '../../../ledger/search/row-filter.ts';
import type { RowPage } from '../../../ledger/search/row-search.ts';
import type { Rights } from '../../access/access.ts';
import { can } from '../../access/can.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { linkButton } from '../../parts/button.ts';
import { emptyState } from '../../parts/empty-state.ts';
import { notice } from '../../parts/notice.ts';
import { pager } from '../../parts/pager.ts';
import { stateBadge } from '../../parts/state.ts';
import { table } from '../../parts/table.ts';
import { theirWords } from '../../parts/their-words.ts';
import { below, planAddress, portfolioAddress } from './addresses.ts';

/** Rows of a page, see ledger/row-search.ts: there may be others behind a page that has none. */
export type RowsPage = RowPage;

/** Rows of a page: as many as one looks through, and few enough for a page that comes at once on a slow line. */
export const ROWS_SHOWN = 40;

/** The rows that were asked for, in the order of their lines. */
export function renderRows(
  state: PortfolioState,
  page: RowsPage,
  { filter, after, rights }: { filter: RowFilter; after: string | undefined; rights: Rights },
): Html {
  const { name } = state;
  const rows = page.found;
  return html`${table({
    caption: `Rows of portfolio ${name}`,
    rows,
    columns: [
      { head: 'Line', kind: 'number', cell: ({ result }) => result.line },
      {
        head: 'Name',
        names: true,
        cell: ({ row, result }) =>
          html`<a href="${below(name, 'rows', row.key)}">${theirWords(result.request.name)}</a>`,
      },
      { head: 'Requested', kind: 'amount', cell: ({ result }) => amount(result.request.limit.requested_limit) },
      { head: 'State', cell: ({ result }) => stateBadge(result.state) },
      { head: 'Granted', kind: 'amount', cell: ({ result }) => amount(result.record.total_limit) },
      { head: 'Ids', kind: 'id', wideOnly: true, cell: ({ result }) => idsOf(result) },
      { head: 'Answer or problem', cell: ({ result }) => problemOf(result) },
    ],
    empty: page.next === undefined ? noRows(state, filter, rights) : lookedThrough(),
  })}
  ${unindexedNotice(page)}
  ${pager({
    words: pagerWords(page),
    first:
      after === undefined
        ? undefined
        : `${portfolioAddress(name, filter)}${Object.keys(filter).length === 0 ? '#rows' : ''}`,
    next: page.next === undefined ? undefined : portfolioAddress(name, filter, page.next),
  })}`;
}

function pagerWords({ found, next }: RowsPage): string {
  const [first] = found;
  if (!first) return '';
  const rows = `${counted(found.length, 'row')} from line ${first.result.line}`;
  return next === undefined ? `${rows}, the last of them` : rows;
}

/** A page goes through some thousands of rows at the most. */
function lookedThrough(): Html {
  return emptyState({
    title: 'None so far.',
    words: 'There are more rows to look through: go on with “Next”, or choose a state too.',
  });
}

function unindexedNotice({ unindexed = 0 }: RowsPage): Html | false {
  if (unindexed === 0) return false;
  const words = `${counted(unindexed, 'row')} came in while search was turned off or not there yet, and can be found by line, state and cause alone. Importing the file again puts them into the search.`;
  return notice('warn', words);
}

/** What can be done with all rows of a filter: not with all rows of the portfolio, which has buttons of its own. */
export function renderRowActions(name: string, filter: RowFilter, rights: Rights): Html | false {
  if (Object.keys(filter).length === 0) return false;
  // Without a state the plan takes those that the action is for.
  const mayHave = (states: readonly string[]) =>
    !filter.states || filter.states.some((state) => states.includes(state));
  return html`<div class="actions">
    ${mayHave(['refused', 'cancelled']) && can(rights, 'GET /plans/new', 'retry') && linkButton({ href: planAddress(name, 'retry', filter), words: 'Retry these…', dialog: true })}
    ${mayHave([...UNFINISHED_STATES, 'refused']) && can(rights, 'GET /plans/new', 'cancel') && linkButton({ href: planAddress(name, 'cancel', filter), words: 'Cancel these…', kind: 'quiet', dialog: true })}
  </div>`;
}

/** How the rows stood when the page was made, for the browser's module to hold against how they stand now. */
export function countsText({ states }: Pick<PortfolioState, 'states'>): string {
  return ROW_STATES.map((state) => states[state]).join(' ');
}

function idsOf({ companyId, documentIds, limitId }: RowResult): Html | string {
  const ids = [companyId, ...documentIds, limitId].filter((id) => id !== '');
  if (ids.length === 0) return '–';
  return html`${ids.map((id) => html`<code title="${id}">${shortId(id)}</code> `)}`;
}

/** Enough to know an id again by; the row's own page has all of it. */
function shortId(id: string): string {
  const short = id.replace(/^(company|document|doc|file|bl)_/, (prefix) => prefix);
  return short.length > 18 ? `${short.slice(0, 12)}…${short.slice(-4)}` : short;
}

function problemOf({ problem, record, state }: RowResult): Html | string {
  if (problem) {
    const text =
      problem.message.length > PROBLEM_CHARACTERS
        ? `${problem.message.slice(0, PROBLEM_CHARACTERS)}…`
        : problem.message;
    return html`<span class="row-problem">${text}</span>`;
  }
  if (record.differs) return html`<span class="row-problem">${answeredOtherwise(record)}</span>`;
  if (record.status) return theirWords(record.status);
  return state === 'done' ? 'without a status' : '–';
}

const PROBLEM_CHARACTERS = 160;

function noRows(state: PortfolioState, filter: RowFilter, rights: Rights): Html {
  if (Object.keys(filter).length > 0) {
    return emptyState({
      title: 'No row is like this.',
      words: 'A name is found by its beginning; references, numbers and ids by all of them.',
      next: html`<a class="button is-plain" href="${portfolioAddress(state.name)}#rows">Show all rows</a>`,
    });
  }
  return emptyState({
    title: 'No rows yet.',
    words: state.importing
      ? 'The file is being read: its lines appear here.'
      : 'No line of the file led to a row. See what is wrong with them, mend the file, and import it again.',
    next: can(rights, 'GET /new') && html`<a class="button is-plain" href="/new">New import</a>`,
  });
}
