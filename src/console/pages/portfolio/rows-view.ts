import { grouped, moneyText } from '../../../counted.ts';
import { subtractAmounts } from '../../../exact-sum.ts';
import { answerWords } from '../../../ledger/counts/answer-words.ts';
import { exactText, type OutcomeSum, soleCurrency } from '../../../ledger/counts/outcome-sums.ts';
import { OUTCOMES, outcomeOfRow, type RowOutcome } from '../../../ledger/counts/row-outcome.ts';
import type { FaultKind, FaultyPage } from '../../../ledger/portfolios/faulty-lines.ts';
import type { KnownImport } from '../../../ledger/portfolios/imports.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { answeredOtherwise, type RowResult, type RowState, UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import { type RowFilter, statesOf } from '../../../ledger/search/row-filter.ts';
import type { RowOrder } from '../../../ledger/search/row-order.ts';
import type { RowPage } from '../../../ledger/search/row-search.ts';
import { type Meanings, statusMeaningOf } from '../../../status-meaning.ts';
import { can, type Rights } from '../../access/access.ts';
import { countWords, type Html, html, t } from '../../html/html.ts';
import { emptyState, notice, pager, table } from '../../parts/blocks.ts';
import { rowBadge, stateBadge } from '../../parts/figures.ts';
import { button, form, hidden, linkButton } from '../../parts/form.ts';
import { advice, amount, cutWords, minuteOf, plainCause, theirWords, withNumbers } from '../../parts/text.ts';
import { below, buyerAddress, type Listing, planAddress, portfolioAddress, rowAddress } from '../addresses.ts';
import { asksForUnsent } from '../plans/plan-words.ts';

/** A page of rows (see ledger/search/row-search.ts). A page may be empty though further pages have rows. */
export type RowsPage = RowPage;

/** The number of rows on a page: as many as a person reads through, and few enough for a slow connection. */
export const ROWS_SHOWN = 25;

/** The table of the rows that the filter found. Rows on which the reader may act have a checkbox. */
export function renderRows(
  state: PortfolioState,
  page: RowsPage,
  given: {
    filter: RowFilter;
    listing: Listing;
    rights: Rights;
    meanings: Meanings;
    imports: readonly Pick<KnownImport, 'number' | 'fileName'>[];
  },
): Html {
  const { name } = state;
  const { filter, listing, rights, meanings, imports } = given;
  // Line numbers of several files are not unique, so each row also names its file.
  const fileOf = (id: string) => imports.length > 1 && imports.find(({ number }) => String(number) === id)?.fileName;
  const { order = 'line', after } = listing;
  const rows = page.found;
  const sorts = (by: 'line' | 'amount' | 'changed') => {
    const [next, now]: [RowOrder, 'ascending' | 'descending' | undefined] =
      order === by ? [`-${by}`, 'ascending'] : [by, order === `-${by}` ? 'descending' : undefined];
    return { href: `${portfolioAddress(name, filter, { order: next }).split('#')[0]}#rows`, now };
  };
  const acts = CHOSEN_ACTS.filter(({ action }) => can(rights, 'GET /plans/new', action));
  // A row that a line of a later file replaced cannot be selected: only an import of its own line brings it back.
  const isChoosable = ({ state: of, replaced }: RowResult) =>
    !replaced && acts.some(({ states }) => (states as readonly RowState[]).includes(of));
  const isChosen = rows.some(({ result }) => isChoosable(result));
  return html`${table({
    caption: t`Rows of portfolio ${name}`,
    rows,
    columns: [
      ...(isChosen
        ? [
            {
              head: t`Select`,
              kind: 'actions' as const,
              cell: ({ row, result }: (typeof rows)[number]) =>
                isChoosable(result) &&
                html`<input type="checkbox" form="chosen" name="rows" value="${row.key}" aria-label="${t`Select line ${result.line}`}">`,
            },
          ]
        : []),
      { head: t`Line`, kind: 'number', sorts: sorts('line'), cell: ({ result }) => result.line },
      {
        head: t`Name`,
        names: true,
        cell: ({ row, result }) =>
          html`<a href="${rowAddress(row, { filter, order })}">${theirWords(result.request.name)}</a>${fileOf(result.importId) && html`<small class="under">of <bdi>${fileOf(result.importId)}</bdi></small>`}`,
      },
      {
        head: t`Requested`,
        kind: 'amount',
        sorts: sorts('amount'),
        cell: ({ result }) => amount(result.request.limit.requested_limit),
      },
      { head: t`Outcome`, cell: ({ result }) => html`${rowBadge(result, meanings)}${earlierBadge(result, meanings)}` },
      {
        head: t`Granted`,
        kind: 'amount',
        // The service may name a limit beside any status, but only an approved status grants it. The row's own page always shows
        // that limit.
        cell: ({ result: { record } }) =>
          amount(statusMeaningOf(record.status, meanings) === 'approved' ? record.total_limit : undefined),
      },
      { head: t`Ids`, kind: 'id', wideOnly: true, cell: ({ result }) => idsOf(result) },
      { head: t`Why`, cell: ({ result }) => problemOf(result) },
      { head: t`Changed (UTC)`, sorts: sorts('changed'), cell: ({ result }) => minuteOf(result.updatedMs) },
      {
        head: t`Buyer`,
        kind: 'actions',
        cell: ({ result: { request } }) =>
          html`<a href="${buyerAddress(request.buyer)}" aria-label="${t`Buyer ${cutWords(request.name)}`}">Buyer</a>`,
      },
    ],
    empty: page.next === undefined ? noRows(state, filter, rights) : lookedThrough(),
  })}
  ${isChosen && chosenForm(name, acts)}
  ${unindexedNotice(page, order)}
  ${pager({
    words: withNumbers(pagerWords(page, soleCurrency(state))),
    first: after === undefined ? undefined : `${portfolioAddress(name, filter, { order }).split('#')[0]}#rows`,
    next: page.next === undefined ? undefined : portfolioAddress(name, filter, { order, after: page.next }),
  })}`;
}

/** The badge of a row whose request was made before. It shows the earlier outcome; a request that was approved in full has no badge. */
function earlierBadge(result: RowResult, meanings: Meanings): Html | false {
  const earlier: RowResult = { ...result, state: 'done' };
  return (
    result.state === 'skipped' &&
    outcomeOfRow(earlier, meanings) !== 'approved' &&
    html` ${rowBadge(earlier, meanings)}`
  );
}

/** What may be done with rows that are chosen one by one. */
const CHOSEN_ACTS = [
  { action: 'retry', words: t`Send selected again…`, states: ['refused', 'cancelled'] },
  { action: 'cancel', words: t`Cancel selected…`, states: [...UNFINISHED_STATES, 'refused'] },
] as const satisfies readonly { action: string; words: string; states: readonly RowState[] }[];

function chosenForm(name: string, acts: readonly (typeof CHOSEN_ACTS)[number][]): Html {
  return form({
    action: '/plans/new',
    method: 'get',
    id: 'chosen',
    class: 'chosen',
    dialog: true,
    label: t`Selected rows`,
    body: html`${hidden('portfolio', name)}${hidden('chosen', 'yes')}
    <label class="tick" hidden><input type="checkbox" data-pick-all><span>Select all on this page</span></label>
    ${acts.map(({ action, words }) => button({ words, name: 'action', value: action, kind: action === 'cancel' ? 'quiet' : 'plain' }))}
    <span class="problem" role="status" data-none hidden>Select at least one row first.</span>`,
  });
}

function pagerWords({ found, next }: RowsPage, currency: string | undefined): string {
  const [first] = found;
  if (!first) return '';
  const rows = t`${countWords(found.length, 'row')} from line ${first.result.line}`;
  // As in the portfolio's sums, a row that a later file corrected or left out asks for nothing.
  const counting = found.filter(({ result }) => !result.replaced);
  const amounts = counting.map(({ result }) => result.request.limit.requested_limit);
  const sum = moneyText(exactText(amounts.filter((one) => /^\d+(?:\.\d+)?$/.test(one))), currency);
  const which = next === undefined ? t`${rows}, the last page` : rows;
  const others = found.length - counting.length;
  if (others === 0) return t`${which}: ${sum} asked for in ${found.length === 1 ? t`it` : t`them`}`;
  const besides = countWords(others, 'other was', 'others were');
  return t`${which}: ${sum} asked for in ${grouped(counting.length)} of them; ${besides} corrected or left out by a later file`;
}

/**
 * The text in place of an empty table, where a search stopped before it found a row: for one page it reads some thousands of rows
 * at the most.
 */
function lookedThrough(): Html {
  return emptyState({
    title: t`Nothing found so far.`,
    words: t`There are more rows to search: press “Next”, or also choose an outcome.`,
  });
}

function unindexedNotice({ unindexed = 0 }: RowsPage, order: RowOrder): Html | false {
  if (unindexed === 0) return false;
  if (order !== 'line') {
    return notice(
      'warn',
      withNumbers(
        t`${countWords(unindexed, 'row')} of an older version are missing in this order until the next nightly check.`,
      ),
    );
  }
  const words = t`${countWords(unindexed, 'row')} cannot be found by name. Import the file again to make them searchable.`;
  return notice('warn', withNumbers(words));
}

/** Actions on all rows of a filter; without a filter there are none, since the portfolio has its own buttons. */
export function renderRowActions(name: string, filter: RowFilter, rights: Rights): Html | false {
  if (Object.keys(filter).length === 0) return false;
  // A filter may have no state and no outcome. Both buttons are then shown, since a plan takes only rows in the states for its action.
  const mayHave = (states: readonly string[]) => statesOf(filter).some((state) => states.includes(state));
  return html`<div class="actions">
    ${mayHave(['refused', 'cancelled']) && can(rights, 'GET /plans/new', 'retry') && linkButton({ href: planAddress(name, 'retry', filter), words: asksForUnsent(filter) ? t`Send these…` : t`Send these again…`, dialog: true })}
    ${mayHave([...UNFINISHED_STATES, 'refused']) && can(rights, 'GET /plans/new', 'cancel') && linkButton({ href: planAddress(name, 'cancel', filter), words: t`Cancel these…`, kind: 'quiet', dialog: true })}
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
    // An answer without a status may be the answer to somebody else’s request, so its body is not shown.
    const said = problem.status === undefined ? '' : cutWords(answerWords(problem.body ?? ''), PROBLEM_CHARACTERS);
    return html`<span class="row-problem">${advice(plainCause(problem.message), PROBLEM_CHARACTERS)}${said !== '' && html`<small class="under"><bdi>${said}</bdi></small>`}</span>`;
  }
  if (record.differs) return html`<span class="row-problem">${answeredOtherwise(record)}</span>`;
  if (record.status) return theirWords(record.status);
  return state === 'done' ? t`no status` : '–';
}

const PROBLEM_CHARACTERS = 160;

function noRows(state: PortfolioState, filter: RowFilter, rights: Rights): Html {
  if (Object.keys(filter).length > 0) {
    const { min, max } = filter;
    const isReversed = min !== undefined && max !== undefined && subtractAmounts(max, min).startsWith('-');
    return emptyState({
      title: t`No rows found.`,
      words: isReversed
        ? t`The amount “from” is above the amount “to”: write the smaller one first.`
        : t`Type the beginning of a name’s words, or a complete reference, number or id.`,
      next: html`<a class="button is-plain" href="${portfolioAddress(state.name)}#rows">Show all rows</a>`,
    });
  }
  return emptyState({
    title: t`No rows yet.`,
    words: state.importing
      ? t`The file is being read: its lines appear here.`
      : t`No line of the file could be used. Download the “File to correct”, correct it, and import it.`,
    next: can(rights, 'GET /new') && html`<a class="button is-plain" href="/new">New import</a>`,
  });
}

/** The names of the kinds of lines that led to no row. */
export const FAULT_WORDS: Readonly<Record<FaultKind, string>> = { invalid: t`Lines to fix`, duplicate: t`Duplicates` };

/** The lines of the last file that led to no row, each with its name and problem. */
export function renderFaultyLines(
  name: string,
  { found, next, unlisted }: FaultyPage,
  { filter, listing, rights }: { filter: RowFilter; listing: Listing; rights: Rights },
): Html {
  if (unlisted > 0) {
    return emptyState({
      title: t`${grouped(unlisted)} lines are too many to be listed here or searched.`,
      words: can(rights, 'GET /portfolios/:name/downloads/:file')
        ? html`All of them, each with its problem, are in the download <a href="${below(name, 'downloads', 'errors.csv')}" download>File to correct</a>.`
        : t`All of them, each with its problem, are in the file to correct.`,
    });
  }
  return html`${table({
    caption: t`Lines that led to no row`,
    rows: found,
    columns: [
      { head: t`Line`, kind: 'number', cell: ({ line }) => line },
      { head: t`Name`, names: true, cell: ({ name: of }) => (of === undefined ? t`no name` : theirWords(of)) },
      { head: t`Outcome`, cell: ({ kind }) => stateBadge(kind, kind === 'invalid' ? t`to fix` : t`duplicate`) },
      { head: t`Problem`, cell: ({ message }) => html`<span class="row-problem">${advice(message)}</span>` },
    ],
    empty: emptyState({
      title: t`No lines found.`,
      words: t`Each line of the last file that this means led to a row.`,
    }),
  })}
  ${pager({
    words: found[0] ? t`${countWords(found.length, 'line')} from line ${found[0].line}` : '',
    label: t`Pages of lines`,
    first: listing.behind === undefined ? undefined : portfolioAddress(name, filter, { lines: listing.lines ?? [] }),
    next: next === undefined ? undefined : portfolioAddress(name, filter, { lines: listing.lines ?? [], behind: next }),
  })}`;
}
