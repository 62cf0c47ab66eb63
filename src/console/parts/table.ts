import { type Html, type HtmlValue, html } from '../html/html.ts';

/** A column. Numbers and amounts stand at the right with figures of one width; ids in a fixed-width type. */
export type TableColumn<Row> = {
  head: string;
  kind?: 'text' | 'number' | 'amount' | 'id' | 'actions';
  cell: (row: Row) => HtmlValue;
  /** The column that names the row: read out first, and the title of the row where it is shown as a list. */
  names?: boolean;
  /** Not shown on narrow screens, where a row is a short list. */
  wideOnly?: boolean;
};

/**
 * A table: dense, with a head that stays in view, in a box of its own that scrolls sideways by itself and by the keyboard.
 * On a narrow screen each row is a short list with the columns' names; the roles keep it a table for who hears it.
 *
 * @param given.caption what it shows; read out, and seen only with `showCaption`
 * @param given.empty shown instead where there are no rows: say what to do next (`emptyState`)
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
      <thead role="rowgroup"><tr role="row">${columns.map(({ head, kind = 'text', wideOnly }) => html`<th scope="col" role="columnheader" class="${['cell', `is-${kind}`, wideOnly && 'wide-only']}">${kind === 'actions' ? html`<span class="unseen">${head}</span>` : head}</th>`)}</tr></thead>
      <tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${columns.map((column) => cellOf(column, row))}</tr>`)}</tbody>
    </table>
  </div>`;
}

function cellOf<Row>({ head, kind = 'text', cell, names, wideOnly }: TableColumn<Row>, row: Row): Html {
  const classes = ['cell', kind !== 'text' && `is-${kind}`, wideOnly && 'wide-only'];
  if (names) return html`<th scope="row" role="rowheader" class="${[...classes, 'names']}">${cell(row)}</th>`;
  return html`<td role="cell" class="${classes}" data-head="${head}">${cell(row)}</td>`;
}

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
