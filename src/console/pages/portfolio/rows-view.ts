import { counted, grouped } from '../../../counted.ts';
import type { OutcomeSum } from '../../../ledger/counts/outcome-sums.ts';
import { canHave, ROW_OUTCOMES, type RowOutcome } from '../../../ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { answeredOtherwise, type RowResult, UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import { type RowFilter, statesOf } from '../../../ledger/search/row-filter.ts';
import type { RowPage } from '../../../ledger/search/row-search.ts';
import { type Meanings, statusMeaningOf } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { OUTCOMES, rowBadge, SHOWN_AS, stateShape } from '../../parts/figures.ts';
import { button, field, form, linkButton, select } from '../../parts/form.ts';
import { emptyState, notice } from '../../parts/page-head.ts';
import { pager, table } from '../../parts/table.ts';
import { advice, amount, cutWords, theirWords } from '../../parts/text.ts';
import { below, buyerAddress, planAddress, portfolioAddress } from '../addresses.ts';
import type { ShownCause } from './portfolio-look.ts';

/** A page of rows, see ledger/search/row-search.ts: a page without rows may be followed by others. */
export type RowsPage = RowPage;

/** Rows of a page: as many as a person reads through, few enough for a slow connection. */
export const ROWS_SHOWN = 40;

/** The rows that the filter found, in the order of their lines. */
export function renderRows(
  state: PortfolioState,
  page: RowsPage,
  {
    filter,
    after,
    rights,
    meanings,
  }: { filter: RowFilter; after: string | undefined; rights: Rights; meanings: Meanings },
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
      { head: 'Outcome', cell: ({ result }) => rowBadge(result, meanings) },
      {
        head: 'Granted',
        kind: 'amount',
        // What the service names beside any other status is granted to nobody; the row's own page has it.
        cell: ({ result: { record } }) =>
          amount(statusMeaningOf(record.status, meanings) === 'approved' ? record.total_limit : undefined),
      },
      { head: 'Ids', kind: 'id', wideOnly: true, cell: ({ result }) => idsOf(result) },
      { head: 'Answer or problem', cell: ({ result }) => problemOf(result) },
      {
        head: 'Buyer',
        kind: 'actions',
        cell: ({ result: { request } }) =>
          html`<a href="${buyerAddress(request.buyer)}" aria-label="${`Buyer ${cutWords(request.name)}`}">Buyer</a>`,
      },
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
  return next === undefined ? `${rows}, the last page` : rows;
}

/** Shown where a search stopped before it found a row: for one page it reads some thousands of rows at the most. */
function lookedThrough(): Html {
  return emptyState({
    title: 'Nothing found so far.',
    words: 'There are more rows to search: press “Next”, or also choose an outcome.',
  });
}

function unindexedNotice({ unindexed = 0 }: RowsPage): Html | false {
  if (unindexed === 0) return false;
  const words = `${counted(unindexed, 'row')} cannot be found by name. Import the file again to make them searchable.`;
  return notice('warn', words);
}

/** Actions on all rows of a filter; without a filter there are none, since the portfolio has its own buttons. */
export function renderRowActions(name: string, filter: RowFilter, rights: Rights): Html | false {
  if (Object.keys(filter).length === 0) return false;
  // Without a state or outcome in the filter, the plan takes the states that the action is for.
  const mayHave = (states: readonly string[]) => statesOf(filter).some((state) => states.includes(state));
  return html`<div class="actions">
    ${mayHave(['refused', 'cancelled']) && can(rights, 'GET /plans/new', 'retry') && linkButton({ href: planAddress(name, 'retry', filter), words: 'Send these again…', dialog: true })}
    ${mayHave([...UNFINISHED_STATES, 'refused']) && can(rights, 'GET /plans/new', 'cancel') && linkButton({ href: planAddress(name, 'cancel', filter), words: 'Cancel these…', kind: 'quiet', dialog: true })}
  </div>`;
}

/** The numbers of rows by outcome at the time of the page, which the browser's module compares with the current ones. */
export function countsText(outcomes: Readonly<Record<RowOutcome, OutcomeSum>>): string {
  return OUTCOMES.map((outcome) => outcomes[outcome].rows).join(' ');
}

function idsOf({ companyId, documentIds, limitId }: RowResult): Html | string {
  const ids = [companyId, ...documentIds, limitId].filter((id) => id !== '');
  if (ids.length === 0) return '–';
  return html`${ids.map((id) => html`<code title="${id}">${shortId(id)}</code> `)}`;
}

/** The parts of an id by which a person recognises it; the row's own page shows all of it. */
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
    return html`<span class="row-problem">${advice(text)}</span>`;
  }
  if (record.differs) return html`<span class="row-problem">${answeredOtherwise(record)}</span>`;
  if (record.status) return theirWords(record.status);
  return state === 'done' ? 'no status' : '–';
}

const PROBLEM_CHARACTERS = 160;

function noRows(state: PortfolioState, filter: RowFilter, rights: Rights): Html {
  if (Object.keys(filter).length > 0) {
    return emptyState({
      title: 'No rows found.',
      words: 'Type the beginning of a name, or a complete reference, number or id.',
      next: html`<a class="button is-plain" href="${portfolioAddress(state.name)}#rows">Show all rows</a>`,
    });
  }
  return emptyState({
    title: 'No rows yet.',
    words: state.importing
      ? 'The file is being read: its lines appear here.'
      : 'No line of the file could be used. See “Lines to fix”, correct the file, and import it again.',
    next: can(rights, 'GET /new') && html`<a class="button is-plain" href="/new">New import</a>`,
  });
}

/** The most options of a select, since nobody reads a longer list. */
const MOST_CHOICES = 50;
const CAUSE_CHARACTERS = 70;

/** The filter of the rows: a form with GET, so that its result is an address that can be kept. */
export function renderFilterForm(
  {
    state: { name, statuses },
    outcomes,
    causes,
  }: { state: PortfolioState; outcomes: Readonly<Record<RowOutcome, OutcomeSum>>; causes: readonly ShownCause[] },
  {
    filter,
    given,
    problem,
  }: { filter: RowFilter; given: Readonly<Record<string, string>>; problem: string | undefined },
): Html {
  // An address of an older version names states: the outcomes of their rows are chosen.
  const chosen = OUTCOMES.filter(
    (one) => filter.outcomes?.includes(one) ?? filter.states?.some((of) => canHave([one], of)),
  );
  // A chip for every outcome: the browser's module shows a hidden one as soon as its outcome has a row.
  const chips = OUTCOMES.map((outcome, at) => {
    const [{ rows }, isChosen, shown] = [outcomes[outcome], chosen.includes(outcome), SHOWN_AS[outcome]];
    return html`<label class="chip state-${shown}" data-outcome-at="${at}" hidden="${rows === 0 && !isChosen}"><input type="checkbox" name="outcomes" value="${outcome}" checked="${isChosen}"><span>${stateShape(shown)}${ROW_OUTCOMES[outcome]} <b>${grouped(rows)}</b></span></label>`;
  });
  const body = html`
    <fieldset class="chips"><legend class="unseen">Outcomes</legend>${chips}</fieldset>
    <div class="filters">
      ${field({ label: 'Find', name: 'text', type: 'search', value: given.text ?? '', placeholder: 'line, name, reference, number or id', maxlength: 400 })}
      ${causeField(causes, filter)}
      ${statusField(statuses, filter)}
      ${field({ label: 'Amount from', name: 'min', inputmode: 'decimal', value: given.min ?? '', ...wrongIn(problem, 'least') })}
      ${field({ label: 'to', name: 'max', inputmode: 'decimal', value: given.max ?? '', ...wrongIn(problem, 'largest') })}
      <div class="actions">${button({ words: 'Show' })}${Object.keys(filter).length > 0 && html`<a class="button is-quiet" href="${portfolioAddress(name)}#rows">Show all</a>`}</div>
    </div>`;
  return form({
    action: `${portfolioAddress(name)}#rows`,
    method: 'get',
    body,
    class: 'filter',
    role: 'search',
    label: 'Rows',
  });
}

function causeField(causes: readonly ShownCause[], { cause }: RowFilter): Html | false {
  if (causes.length === 0 && cause === undefined) return false;
  const some = causes.slice(0, MOST_CHOICES);
  const isOther = cause !== undefined && !some.some(({ id }) => id === cause);
  const options = [
    { value: '', words: 'any cause' },
    ...(isOther ? [{ value: cause, words: `cause ${cause}` }] : []),
    ...some.map(({ id, status, meaning, words, rows }) => ({
      value: id,
      words:
        `${grouped(rows)} × ${[status, words === '' ? meaning : words].filter((part) => part !== null).join(' ')}`.slice(
          0,
          CAUSE_CHARACTERS,
        ),
    })),
  ];
  return select({ label: 'Cause', name: 'cause', value: cause ?? '', options });
}

function statusField(statuses: Readonly<Record<string, number>>, { status }: RowFilter): Html | false {
  const known = Object.entries(statuses)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_CHOICES);
  if (known.length === 0 && status === undefined) return false;
  const isOther = status !== undefined && !known.some(([word]) => word === status);
  const options = [
    { value: '', words: 'any answer' },
    ...(isOther ? [{ value: status, words: status }] : []),
    ...known.map(([word, count]) => ({ value: word, words: `${word} (${grouped(count)})` })),
  ];
  return select({ label: 'Answer', name: 'status', value: status ?? '', options });
}

function wrongIn(problem: string | undefined, word: string): { problem?: string } {
  return problem?.includes(word) ? { problem } : {};
}
