import { type Html, type HtmlValue, html } from '../html/html.ts';
import { t } from '../html/texts.ts';
import { localized } from './text.ts';

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

/**
 * Links to the next and the first page. Pages go by cursor and have no numbers, since numbers would be wrong once rows are
 * added.
 */
export function pager({
  words,
  first,
  next,
  label = t`Pages`,
}: {
  words: HtmlValue;
  first?: string | undefined;
  next?: string | undefined;
  label?: string;
}): Html {
  return html`<nav class="pager" aria-label="${label}"><span class="pager-words">${localized(words)}</span>
    ${first !== undefined && html`<a class="button is-quiet" href="${first}">To the first</a>`}
    ${next !== undefined && html`<a class="button is-plain" href="${next}" rel="next">Next</a>`}
  </nav>`;
}
