import { type Html, html } from '../html/html.ts';

/**
 * The way to further rows. Pages go by key, so there is a next one and the first one, and no numbers that would be wrong by
 * the time that somebody presses them.
 */
export function pager({
  words,
  first,
  next,
}: {
  words: string;
  first?: string | undefined;
  next?: string | undefined;
}): Html {
  return html`<nav class="pager" aria-label="Pages"><span class="pager-words">${words}</span>
    ${first !== undefined && html`<a class="button is-quiet" href="${first}">To the first</a>`}
    ${next !== undefined && html`<a class="button is-plain" href="${next}" rel="next">Next</a>`}
  </nav>`;
}
