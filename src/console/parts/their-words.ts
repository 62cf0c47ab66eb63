import { type Html, html } from '../html/html.ts';

/** Longer than any name; a cell may be a megabyte, and a page has many of them. */
const MOST_CHARACTERS = 200;

/** A text of somebody else's, cut where it is longer than any that is meant to be read. */
export function cutWords(text: string, most = MOST_CHARACTERS): string {
  return text.length > most ? `${text.slice(0, most - 1)}…`.toWellFormed() : text;
}

/**
 * A name out of somebody's file among words and figures of ours: whatever it says of the direction of reading ends with it,
 * so that no amount beside it is read backwards.
 */
export function theirWords(text: string): Html {
  return html`<bdi>${cutWords(text)}</bdi>`;
}
