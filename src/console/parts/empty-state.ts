import { type Html, type HtmlValue, html } from '../html/html.ts';

/** What a page shows that has nothing to show: why, and what to do next. */
export function emptyState({ title, words, next }: { title: string; words: HtmlValue; next?: HtmlValue }): Html {
  return html`<div class="empty"><p class="empty-title">${title}</p><p>${words}</p>${next !== undefined && html`<div class="empty-next">${next}</div>`}</div>`;
}
