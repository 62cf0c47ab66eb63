import { grouped } from '../../counted.ts';
import type { PreviewRequest } from '../../portfolio/preview.ts';
import { type Html, type HtmlValue, html, t } from '../html/html.ts';
import { cutWords, localized, withNumbers } from './text.ts';

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
      ${lead !== undefined && html`<p class="lead">${localized(lead)}</p>`}
    </div>
    ${actions !== undefined && html`<div class="actions">${actions}</div>`}
  </div>`;
}

/**
 * A boxed section with its heading. `id` is the id of the body, which events replace; the heading stays. `anchor` gives the
 * heading the id `<anchor>-title`, which is the same in every language, so that links can lead to it.
 */
export function panel(given: {
  title: string;
  body: HtmlValue;
  id?: string;
  actions?: HtmlValue;
  label?: string;
  anchor?: string;
}): Html {
  const { title, body, id, actions, label, anchor } = given;
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
    <div>${title !== undefined && html`<strong>${withNumbers(title)}</strong> `}${localized(body)}</div>
  </div>`;
}

/** What a page shows instead of an empty list: why it is empty, and what to do next. */
export function emptyState({ title, words, next }: { title: string; words: HtmlValue; next?: HtmlValue }): Html {
  return html`<div class="empty"><p class="empty-title">${withNumbers(title)}</p><p>${localized(words)}</p>${next !== undefined && html`<div class="empty-next">${next}</div>`}</div>`;
}

/** A column. Numbers and amounts are right-aligned with figures of equal width; ids are monospaced. */
export type TableColumn<Row> = {
  head: string;
  kind?: 'text' | 'number' | 'amount' | 'id' | 'actions';
  cell: (row: Row) => HtmlValue;
  /** A link that sorts by this column, and how the rows are sorted by it now. */
  sorts?: { href: string; now: 'ascending' | 'descending' | undefined };
  /** Marks the column that names the row: its header cell, and its title on narrow screens. */
  names?: boolean;
  /** Hidden on narrow screens, where each row becomes a short list. */
  wideOnly?: boolean;
};

/**
 * A dense table with a sticky head, in a box that scrolls sideways, by keyboard too. On narrow screens each row becomes a list;
 * the roles keep it a table for screen readers.
 *
 * @param given.caption read by screen readers; visible only with `showCaption`
 * @param given.empty replaces a table without rows and says what to do next (`emptyState`)
 */
export function table<Row>(given: {
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  empty?: HtmlValue;
  showCaption?: boolean;
  id?: string;
}): Html {
  const { caption, columns, rows, empty, showCaption = false, id } = given;
  if (rows.length === 0 && empty !== undefined) return html`<div id="${id}">${empty}</div>`;
  return html`<div class="table-box" id="${id}" role="region" aria-label="${caption}" tabindex="0">
    <table class="table" role="table">
      <caption class="${showCaption ? '' : 'unseen'}">${caption}</caption>
      <thead role="rowgroup"><tr role="row">${columns.map(headOf)}</tr></thead>
      <tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${columns.map((column) => cellOf(column, row))}</tr>`)}</tbody>
    </table>
  </div>`;
}

function headOf<Row>({ head, kind = 'text', wideOnly, sorts }: TableColumn<Row>): Html {
  const words = kind === 'actions' ? html`<span class="unseen">${head}</span>` : head;
  const shown = sorts ? html`<a href="${sorts.href}">${words}</a>` : words;
  return html`<th scope="col" role="columnheader" class="${['cell', `is-${kind}`, wideOnly && 'wide-only']}" aria-sort="${sorts?.now}">${shown}</th>`;
}

function cellOf<Row>({ head, kind = 'text', cell, names, wideOnly }: TableColumn<Row>, row: Row): Html {
  const classes = ['cell', kind !== 'text' && `is-${kind}`, wideOnly && 'wide-only'];
  const shown = kind === 'number' ? localized(cell(row)) : cell(row);
  if (names) return html`<th scope="row" role="rowheader" class="${[...classes, 'names']}">${shown}</th>`;
  return html`<td role="cell" class="${classes}" data-head="${head}">${shown}</td>`;
}

/** Links to the next and the first page. Pages go by cursor and have no numbers, since numbers would be wrong once rows are added. */
export function pager(given: {
  words: HtmlValue;
  first?: string | undefined;
  next?: string | undefined;
  label?: string;
}): Html {
  const { words, first, next, label = t`Pages` } = given;
  return html`<nav class="pager" aria-label="${label}"><span class="pager-words">${localized(words)}</span>
    ${first !== undefined && html`<a class="button is-quiet" href="${first}">To the first</a>`}
    ${next !== undefined && html`<a class="button is-plain" href="${next}" rel="next">Next</a>`}
  </nav>`;
}

/** The bodies of calls, collapsible for each line; the first is open. */
export function requestBodies(requests: readonly Readonly<PreviewRequest>[]): Html {
  return html`${requests.map(callsOf)}`;
}

function callsOf({ line, company, documents, limit }: PreviewRequest, at: number): Html {
  return html`<details class="calls" id="calls-${line}" open="${at === 0}"><summary>Line ${grouped(line)} as it would be sent</summary>
    <div class="bodies">
      ${company !== null && body(t`Company`, company)}
      ${documents.length > 0 && html`<figure class="body-box"><figcaption>Documents</figcaption><ul>${documents.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul></figure>`}
      ${body(t`Buyer limit`, limit)}
    </div>
  </details>`;
}

function body(title: string, content: Record<string, unknown>): Html {
  return html`<figure class="body-box"><figcaption>${title}</figcaption><pre tabindex="0" role="region" aria-label="${title}, body of the call">${JSON.stringify(content, cutLong, 2)}</pre></figure>`;
}

/** Cuts long texts, since a person reads the body's structure and not its last byte. */
function cutLong(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? cutWords(value, LONGEST_IN_BODY) : value;
}

/** The most characters of a field that are shown: more than any field normally holds. */
const LONGEST_IN_BODY = 1_000;
