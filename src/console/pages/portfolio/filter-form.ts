import { grouped } from '../../../counted.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { ROW_STATES } from '../../../ledger/schema/row.ts';
import type { RowFilter } from '../../../ledger/search/row-filter.ts';
import { type Html, html } from '../../html/html.ts';
import { button } from '../../parts/button.ts';
import { field, form, select } from '../../parts/form.ts';
import { stateShape } from '../../parts/state.ts';
import { portfolioAddress } from './addresses.ts';
import type { ShownCause } from './portfolio-look.ts';

/** What can be chosen is no more than this: a list that nobody reads to its end is no choice. */
const MOST_CHOICES = 50;
const CAUSE_CHARACTERS = 70;

/** Which rows are shown, as a form whose answer is an address that can be kept. */
export function renderFilterForm(
  { name, states, statuses }: PortfolioState,
  causes: readonly ShownCause[],
  {
    filter,
    given,
    problem,
  }: { filter: RowFilter; given: Readonly<Record<string, string>>; problem: string | undefined },
): Html {
  const chosen = new Set(filter.states);
  // All of them: the browser's module shows one as soon as it has a row.
  const chips = ROW_STATES.map(
    (state, at) =>
      html`<label class="chip state-${state}" data-state-at="${at}" hidden="${states[state] === 0 && !chosen.has(state)}"><input type="checkbox" name="states" value="${state}" checked="${chosen.has(state)}"><span>${stateShape(state)}${state} <b>${grouped(states[state])}</b></span></label>`,
  );
  const body = html`
    <fieldset class="chips"><legend class="unseen">States</legend>${chips}</fieldset>
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
