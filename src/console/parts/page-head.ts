import { type Html, type HtmlValue, html } from '../html/html.ts';
import { withNumbers } from './text.ts';

/**
 * The head of a page: breadcrumbs, its only `<h1>`, a sentence, and the actions on the whole page.
 *
 * @param given.trail the pages above this one, from the top
 */
export function pageHead(given: {
  title: HtmlValue;
  trail?: readonly { href: string; words: string }[];
  lead?: HtmlValue;
  actions?: HtmlValue;
}): Html {
  const { title, trail = [], lead, actions } = given;
  return html`<div class="page-head">
    <div class="page-head-words">
      ${trail.length > 0 && html`<nav class="trail" aria-label="Way here"><ol>${trail.map(({ href, words }) => html`<li><a href="${href}">${words}</a></li>`)}</ol></nav>`}
      <h1>${title}</h1>
      ${lead !== undefined && html`<p class="lead">${lead}</p>`}
    </div>
    ${actions !== undefined && html`<div class="actions">${actions}</div>`}
  </div>`;
}

/**
 * A boxed section with its heading. `id` is the id of the body, which events replace; the heading stays. `anchor` gives the
 * heading the id `<anchor>-title`, which is the same in every language, so that links can lead to it.
 */
export function panel({
  title,
  body,
  id,
  actions,
  label,
  anchor,
}: {
  title: string;
  body: HtmlValue;
  id?: string;
  actions?: HtmlValue;
  label?: string;
  anchor?: string;
}): Html {
  const heading = `${anchor ?? (label ?? title).toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-')}-title`;
  return html`<section class="panel" aria-labelledby="${heading}"><div class="panel-head"><h2 id="${heading}">${title}</h2>${actions !== undefined && html`<div class="actions">${actions}</div>`}</div><div class="panel-body" id="${id}">${body}</div></section>`;
}

export type BannerKind = 'info' | 'good' | 'warn' | 'bad';

const SHAPES: Readonly<Record<BannerKind, string>> = {
  info: 'M8 2a6 6 0 1 0 .01 0M8 7.2v4M8 4.9v.1',
  good: 'M8 2a6 6 0 1 0 .01 0M5 8.2 7.2 10.4 11 6',
  warn: 'M8 2 14.5 13.5h-13zM8 6.4v3.2M8 11.6v.1',
  bad: 'M8 2a6 6 0 1 0 .01 0M5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4',
};

/** A message that a person should see. Screen readers announce an `urgent` one at once. */
export function notice(
  kind: BannerKind,
  body: HtmlValue,
  { title, urgent = false }: { title?: string; urgent?: boolean } = {},
): Html {
  return html`<div class="notice is-${kind}" role="${urgent ? 'alert' : undefined}">
    <svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[kind]}"/></svg>
    <div>${title !== undefined && html`<strong class="notice-title">${withNumbers(title)}</strong> `}${body}</div>
  </div>`;
}

/** What a page shows instead of an empty list: why it is empty, and what to do next. */
export function emptyState({ title, words, next }: { title: string; words: HtmlValue; next?: HtmlValue }): Html {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${words}</p>${next !== undefined && html`<div class="empty-next">${next}</div>`}</div>`;
}
