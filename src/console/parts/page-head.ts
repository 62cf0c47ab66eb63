import { type Html, type HtmlValue, html } from '../html/html.ts';

/**
 * The head of a page: the way here, its one `<h1>`, a sentence, and what can be done with all of it.
 *
 * @param given.trail pages above, from the top: not this one
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

/** A part of a page with its heading, in a box of its own. `id` is what events put new pieces into: the heading stays. */
export function panel({
  title,
  body,
  id,
  actions,
  label,
}: {
  title: string;
  body: HtmlValue;
  id?: string;
  actions?: HtmlValue;
  label?: string;
}): Html {
  const heading = panelHeading(label ?? title);
  return html`<section class="panel" aria-labelledby="${heading}"><div class="panel-head"><h2 id="${heading}">${title}</h2>${actions !== undefined && html`<div class="actions">${actions}</div>`}</div><div class="panel-body" id="${id}">${body}</div></section>`;
}

/** The id of a panel's heading, for links within the page. */
export function panelHeading(title: string): string {
  return `${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}-title`;
}
