import { grouped } from '../../../counted.ts';
import { LimitlineError } from '../../../errors.ts';
import type { OutcomeSum } from '../../../ledger/counts/outcome-sums.ts';
import { canHave, OUTCOMES, ROW_OUTCOMES, type RowOutcome } from '../../../ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { FAULT_KINDS } from '../../../ledger/schema/keys.ts';
import type { Query, RowFilter } from '../../../ledger/search/row-filter.ts';
import type { RowOrder } from '../../../ledger/search/row-order.ts';
import { parseAmount } from '../../../portfolio/values/amounts.ts';
import { type Html, html, t, translated } from '../../html/html.ts';
import { SHOWN_AS, type Shown, stateShape } from '../../parts/figures.ts';
import { button, field, form, hidden, select } from '../../parts/form.ts';
import { count, shownCause } from '../../parts/text.ts';
import { type Listing, portfolioAddress } from '../addresses.ts';
import type { ShownCause } from './portfolio-look.ts';
import { FAULT_WORDS } from './rows-view.ts';

/**
 * The query with its amounts (`min`, `max`) as plain decimals. The browser sends the decimal mark of its reader as `decimal` (typedAmounts
 * of assets/script/elements.js); without it, amounts stay as they are. An amount that could mean two things is refused.
 *
 * @throws LimitlineError `USAGE` for such an amount, and for what is none
 */
export function withPlainAmounts(query: Query): Query {
  const { decimal, ...rest } = query;
  if (decimal !== '.' && decimal !== ',') return rest;
  const plain = { ...rest };
  for (const name of ['min', 'max'] as const) {
    const typed = rest[name];
    if (typeof typed !== 'string' || /^[0.,\s]*$/.test(typed)) continue;
    const text = typed.trim();
    const isOpen = 'open' in parseAmount(text);
    // An amount such as 1,234 where the comma is the reader's decimal mark: hardly anybody means three decimals, so it is refused
    // as ambiguous.
    const read =
      isOpen && text.replace(/[^.,]/g, '') === decimal ? { problem: '' } : parseAmount(text, isOpen ? decimal : null);
    const what = name === 'min' ? 'least' : 'largest';
    if ('value' in read) plain[name] = read.value;
    else if (read.problem === '') {
      const message = `The ${what} amount, ${text}, can mean two things: write it without a separator of thousands, or with two decimals.`;
      throw new LimitlineError('USAGE', message);
    } else throw new LimitlineError('USAGE', `The ${what} amount is not a number such as 25000 or 25000${decimal}50.`);
  }
  return plain;
}

/** The most options of a select, since nobody reads a longer list. */
const MOST_CHOICES = 50;
const CAUSE_CHARACTERS = 70;

/** The filter of the rows: a form with GET, so that its result is an address that can be kept. */
export function renderFilterForm(
  asked: { state: PortfolioState; outcomes: Readonly<Record<RowOutcome, OutcomeSum>>; causes: readonly ShownCause[] },
  {
    filter,
    given,
    problem,
    listing: { order, lines = [] },
  }: { filter: RowFilter; given: Readonly<Record<string, string>>; problem: string | undefined; listing: Listing },
): Html {
  const { state, outcomes, causes } = asked;
  const { name, statuses } = state;
  // An address of an older version names states: the outcomes of their rows are chosen.
  const chosen = OUTCOMES.filter(
    (one) => filter.outcomes?.includes(one) ?? filter.states?.some((of) => canHave([one], of)),
  );
  // A chip for every outcome: the browser's module shows a hidden one as soon as its outcome has a row.
  const chips = OUTCOMES.map((outcome, at) => {
    const [{ rows }, isChosen, shown] = [outcomes[outcome], chosen.includes(outcome), SHOWN_AS[outcome]];
    return chip(shown, {
      input: html`<input type="checkbox" name="outcomes" value="${outcome}" checked="${isChosen}">`,
      words: html`${translated(ROW_OUTCOMES[outcome])} <b>${count(rows)}</b>`,
      isHidden: rows === 0 && !isChosen,
      at,
    });
  });
  const faults = FAULT_KINDS.map((kind) =>
    chip(kind, {
      input: html`<input type="checkbox" name="lines" value="${kind}" checked="${lines.includes(kind)}">`,
      words: html`${FAULT_WORDS[kind]} <b>${count(state[kind])}</b>`,
      isHidden: state[kind] === 0 && !lines.includes(kind),
    }),
  );
  const body = html`
    <fieldset class="chips"><legend class="unseen">Outcomes</legend>${chips}${faults}</fieldset>
    ${given.decimal !== undefined && hidden('decimal', given.decimal)}
    <div class="filters">
      ${field({ label: t`Find`, name: 'text', type: 'search', value: given.text ?? '', placeholder: t`line, name, number or id`, maxlength: 400 })}
      ${causeField(causes, filter)}
      ${statusField(statuses, filter)}
      ${field({ label: t`Amount from`, name: 'min', inputmode: 'decimal', value: given.min ?? '', ...wrongIn(problem, 'least') })}
      ${field({ label: t`to`, name: 'max', inputmode: 'decimal', value: given.max ?? '', ...wrongIn(problem, 'largest') })}
      ${select({ label: t`Order`, name: 'order', value: order ?? 'line', options: Object.entries(ORDER_WORDS).map(([value, words]) => ({ value, words })) })}
      <div class="actions">${button({ words: t`Show` })}${Object.keys(filter).length + lines.length > 0 && html`<a class="button is-quiet" href="${portfolioAddress(name)}#rows">Show all</a>`}</div>
    </div>`;
  return form({
    action: `${portfolioAddress(name)}#rows`,
    method: 'get',
    body,
    class: 'filter',
    module: 'typedAmounts',
    role: 'search',
    label: t`Rows`,
  });
}

const ORDER_WORDS: Readonly<Record<RowOrder, string>> = {
  line: t`first line first`,
  '-line': t`last line first`,
  amount: t`smallest amount first`,
  '-amount': t`largest amount first`,
  changed: t`oldest change first`,
  '-changed': t`latest change first`,
};

function chip(shown: Shown, given: { input: Html; words: Html; isHidden: boolean; at?: number }): Html {
  const { input, words, isHidden, at } = given;
  return html`<label class="chip state-${shown}" data-outcome-at="${at}" hidden="${isHidden}">${input}<span>${stateShape(shown)}${words}</span></label>`;
}

function causeField(causes: readonly ShownCause[], { cause }: RowFilter): Html | false {
  if (causes.length === 0 && cause === undefined) return false;
  const some = causes.slice(0, MOST_CHOICES);
  const isOther = cause !== undefined && !some.some(({ id }) => id === cause);
  const options = [
    { value: '', words: t`any cause` },
    ...(isOther ? [{ value: cause, words: t`cause ${cause}` }] : []),
    ...some.map((one) => ({
      value: one.id,
      words:
        `${grouped(one.rows)} × ${[one.status === null ? '' : t`status ${one.status}`, shownCause(one) || one.meaning].filter((part) => part !== '').join(' ')}`.slice(
          0,
          CAUSE_CHARACTERS,
        ),
    })),
  ];
  return select({ label: t`Cause`, name: 'cause', value: cause ?? '', options });
}

function statusField(statuses: Readonly<Record<string, number>>, { status }: RowFilter): Html | false {
  const known = Object.entries(statuses)
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_CHOICES);
  if (known.length === 0 && status === undefined) return false;
  const isOther = status !== undefined && !known.some(([word]) => word === status);
  const options = [
    { value: '', words: t`any answer` },
    ...(isOther ? [{ value: status, words: status }] : []),
    ...known.map(([word, count]) => ({ value: word, words: `${word} (${grouped(count)})` })),
  ];
  return select({ label: t`Answer`, name: 'status', value: status ?? '', options });
}

function wrongIn(problem: string | undefined, word: string): { problem?: string } {
  return problem?.includes(word) ? { problem } : {};
}
