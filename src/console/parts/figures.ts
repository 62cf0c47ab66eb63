import { type Html, type HtmlValue, html } from '../html/html.ts';

/** A figure that stands for itself: its label, the figure, and a word on it. */
export type Stat = { label: string; value: HtmlValue; hint?: HtmlValue; kind?: 'good' | 'warn' | 'bad' };

/** The few figures that a page is about, side by side. */
export function stats(figures: readonly Stat[]): Html {
  return html`<dl class="stats">${figures.map(
    ({ label, value, hint, kind }) =>
      html`<div class="${['stat', kind && `is-${kind}`]}"><dt>${label}</dt><dd class="stat-value">${value}</dd>${hint !== undefined && html`<dd class="stat-hint">${hint}</dd>`}</div>`,
  )}</dl>`;
}

/** Facts by name, one a line. */
export function facts(entries: readonly { term: string; what: HtmlValue }[]): Html {
  return html`<dl class="facts">${entries.map(({ term, what }) => html`<div><dt>${term}</dt><dd>${what}</dd></div>`)}</dl>`;
}

/** How far something is, as a bar with its words. Without `total` it is not known how much there is. */
export function progressBar({
  label,
  done,
  total,
  words,
}: {
  label: string;
  done: number;
  total?: number;
  words: string;
}): Html {
  return html`<div class="progress"><progress aria-label="${label}" value="${total === undefined ? undefined : done}" max="${total}"></progress><span>${words}</span></div>`;
}
