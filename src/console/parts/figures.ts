import { grouped } from '../../counted.ts';
import type { AnswerOutcome, RowOutcome } from '../../ledger/counts/row-outcome.ts';
import { outcomeOfAnswer, outcomeOfRow, stateWords } from '../../ledger/counts/row-outcome.ts';
import type { PortfolioState } from '../../ledger/portfolios/portfolio.ts';
import { ROW_STATES, type RowResult, type RowState } from '../../ledger/schema/row.ts';
import { visible } from '../../portfolio/problem.ts';
import { APPROVED, type Meanings } from '../../status-meaning.ts';
import { type Html, type HtmlValue, html, t, translated } from '../html/html.ts';
import { localized, withNumbers } from './text.ts';

export type Stat = { label: string; value: HtmlValue; hint?: HtmlValue; kind?: 'good' | 'warn' | 'bad' };

/** The main figures of a page, side by side. */
export function stats(figures: readonly Stat[]): Html {
  return html`<dl class="stats">${figures.map(
    ({ label, value, hint, kind }) =>
      html`<div class="${['stat', kind && `is-${kind}`]}"><dt>${label}</dt><dd class="stat-value">${localized(value)}</dd>${hint !== undefined && html`<dd class="stat-hint">${localized(hint)}</dd>`}</div>`,
  )}</dl>`;
}

/** A list of facts, one a line, each with its name. */
export function facts(entries: readonly { term: string; what: HtmlValue }[]): Html {
  return html`<dl class="facts">${entries.map(({ term, what }) => html`<div><dt>${term}</dt><dd>${what}</dd></div>`)}</dl>`;
}

/** A progress bar with a text; without `total` the bar is indeterminate. */
export function progressBar(given: { label: string; done: number; total?: number; words: string }): Html {
  const { label, done, total, words } = given;
  return html`<div class="progress"><progress aria-label="${label}" value="${total === undefined ? undefined : done}" max="${total}"></progress><span>${withNumbers(words)}</span></div>`;
}

/**
 * The names of states under which a page shows a row or a line. A row has its own state; once the service answered, the outcome
 * of the answer, or `done` where the answer is not at hand. A line that led to no row has its fault.
 */
export type Shown = RowState | AnswerOutcome | 'invalid' | 'duplicate';

/**
 * The shapes of the states, as SVG paths. Each state is shown by a word, a shape and a colour (styles/4-states.css), never by
 * only one of them.
 */
const SHAPES: Readonly<Record<Shown, string>> = {
  queued: 'M8 3.5a4.5 4.5 0 1 0 .01 0',
  company: 'M2.5 8h7M7 4.5 10.5 8 7 11.5M13.5 4v8',
  documents: 'M2.5 8h7M7 4.5 10.5 8 7 11.5M13.5 4v8',
  limit: 'M2.5 8h7M7 4.5 10.5 8 7 11.5M13.5 4v8',
  approved: 'M3 8.5 6.5 12 13 4.5',
  partly_approved: 'M3 6.5 6.5 10 13 2.5M3 13.5h10',
  under_review: 'M7 2.5a4.5 4.5 0 1 0 .01 0M10.5 10.5 14 14',
  declined: 'M8 2.5a5.5 5.5 0 1 0 .01 0M5 8h6',
  answered: 'M3 3.5h10v7H7l-3 2.5v-2.5H3z',
  done: 'M3.5 3.5h9v9h-9z',
  refused: 'M4 4l8 8M12 4l-8 8',
  held: 'M5.5 3.5v9M10.5 3.5v9',
  skipped: 'M3 4l4 4-4 4M8.5 4l4 4-4 4',
  cancelled: 'M3.5 8h9',
  awaiting: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2L10 10',
  invalid: 'M8 2.5 14 13H2zM8 6.5v3M8 11.2v.1',
  duplicate: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
};

/** The order of states in bars, legends and filters: the order in which a row passes them. */
export const SHOWN_STATES = Object.keys(SHAPES) as Shown[];

/** The shape of a state, hidden from screen readers, since the word is next to it. */
export function stateShape(state: Shown): Html {
  return html`<svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[state]}"/></svg>`;
}

/** A state as a badge: shape, word and colour. `words` replaces the state's name, for example `12 held`. */
export function stateBadge(state: Shown, words: string = wordOf(state)): Html {
  return html`<span class="badge state-${state}">${stateShape(state)}${words}</span>`;
}

function wordOf(state: Shown): string {
  return translated(ROW_STATES.some((one) => one === state) ? stateWords(state as RowState) : state.replace('_', ' '));
}

/** The most characters of a status in a badge: a longer text is no real status. */
const STATUS_CHARACTERS = 40;

/** The state as which each outcome is shown: an answer of the service under its own name, any other outcome as a state of its rows. */
export const SHOWN_AS: Readonly<Record<RowOutcome, Shown>> = {
  approved: 'approved',
  partly_approved: 'partly_approved',
  under_review: 'under_review',
  declined: 'declined',
  answered: 'answered',
  rejected: 'refused',
  needs_answer: 'held',
  awaiting_approval: 'awaiting',
  sending: 'limit',
  waiting: 'queued',
  requested_before: 'skipped',
  not_sent: 'cancelled',
};

/** A badge with the outcome of a row. It quotes a status that nobody has explained. */
export function rowBadge(
  result: Pick<RowResult, 'state' | 'record' | 'request'> & { replaced?: boolean },
  meanings: Meanings,
): Html {
  // The outcome “not sent” does not find such a row, and no sum has it.
  if (result.replaced) return stateBadge(result.state, t`replaced by a later file`);
  if (result.state !== 'done') return stateBadge(result.state);
  const outcome = outcomeOfRow(result, meanings) as AnswerOutcome;
  const { status = '' } = result.record;
  const isOpen = outcome === 'answered' && status !== '' && status !== APPROVED;
  return stateBadge(outcome, isOpen ? t`answered: “${visible(status).slice(0, STATUS_CHARACTERS)}”` : undefined);
}

/** The numbers of a portfolio's rows by the state under which they are shown. A row that another line replaced is not counted. */
export function shownCounts(
  { states, answers, replaced }: Pick<PortfolioState, 'states' | 'answers' | 'replaced'>,
  meanings: Meanings,
): Partial<Record<Shown, number>> {
  const counts: Partial<Record<Shown, number>> = { ...states, cancelled: states.cancelled - replaced, done: 0 };
  for (const { rows, ...answer } of answers) {
    const outcome = outcomeOfAnswer(answer, meanings);
    counts[outcome] = (counts[outcome] ?? 0) + rows;
  }
  return counts;
}

/**
 * A bar of the rows by state, with the same as a text for screen readers. States without rows are left out; every other state
 * is wide enough to see.
 *
 * @param options.legend shows the counts below the bar
 */
export function stateBar(
  counts: Partial<Record<Shown, number>>,
  options: { label?: string; legend?: boolean } = {},
): Html {
  const there = SHOWN_STATES.flatMap((state) => {
    const count = counts[state] ?? 0;
    return count > 0 ? [{ state, size: count, count, words: `${grouped(count)} ${wordOf(state)}` }] : [];
  });
  return html`<div class="state-bar">
    ${barLine(options.label ?? t`Rows by state`, there)}
    ${
      options.legend &&
      html`<ul class="legend">${there.map(({ state, count }) => html`<li>${stateBadge(state, `${grouped(count)} ${wordOf(state)}`)}</li>`)}</ul>`
    }
  </div>`;
}

/** A bar of pieces side by side, each wide enough to see, with the words of all pieces for screen readers. */
export function barLine(label: string, pieces: readonly { state: Shown; size: number; words: string }[]): Html {
  const words = pieces.map((piece) => piece.words).join(', ') || t`no rows`;
  let left = 0;
  const widths = widthsOf(pieces.map(({ size }) => size));
  const shapes = pieces.map(({ state }, place) => {
    const width = widths[place] ?? 0;
    const shape = html`<rect class="state-${state}" x="${left.toFixed(2)}" width="${Math.max(0, width - GAP).toFixed(2)}" height="8" y="0"/>`;
    left += width;
    return shape;
  });
  return html`<svg class="state-bar-line" viewBox="0 0 ${WIDTH} 8" preserveAspectRatio="none" role="img" aria-label="${label}: ${words}">
      ${pieces.length === 0 ? html`<rect width="${WIDTH}" height="8"/>` : shapes}
    </svg>`;
}

/**
 * The bar's width in units of the drawing, the gap between its pieces, and the least width of a piece. The drawing stretches with the page.
 */
const WIDTH = 400;
const GAP = 1;
const LEAST = 6;

/** Widths in the bar: each has at least LEAST, and the rest of the bar is shared by size. */
function widthsOf(sizes: readonly number[]): number[] {
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const free = WIDTH - LEAST * sizes.length;
  return sizes.map((size) => (total === 0 ? WIDTH / sizes.length : LEAST + (free * size) / total));
}
