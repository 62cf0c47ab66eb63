import { grouped } from '../../../counted.ts';
import { FROM_COLUMN } from '../../../portfolio/columns/result-columns.ts';
import type { ColumnEdit, LineEdit } from '../../../portfolio/draft-desk.ts';
import { lastVersion, type MendedCell, type PortfolioDraft } from '../../../portfolio/portfolio-draft.ts';
import type { LineToMend, MendPages, MendPlace, Preview, PreviewColumn } from '../../../portfolio/preview.ts';
import { MEND_PAGE_LINES } from '../../../portfolio/preview.ts';
import type { Problem } from '../../../portfolio/problem.ts';
import { countWords, type Html, type HtmlValue, html, t } from '../../html/html.ts';
import { pageHead, table } from '../../parts/blocks.ts';
import { button, field, form, hidden, linkButton, tick } from '../../parts/form.ts';
import { theirWords, withNumbers } from '../../parts/text.ts';

/** The list of lines, the column and the page that are shown, and whether the first faulty cell has the focus. */
export type ShownPlace = MendPlace & { isFocused: boolean };

/** The most characters of a cell that can be edited in the page. */
const LONGEST_CELL = 2_000;

/** The lines with problems or warnings: each cell is a field, and each line's problems are listed below it. */
export function mendGrid(
  draft: PortfolioDraft,
  { preview, place, lines, csrf }: { preview: Preview; place: ShownPlace; lines: readonly LineToMend[]; csrf: string },
): Html {
  const pages = preview[place.list];
  const columns = columnsOf(preview, lines);
  // The hidden button comes first, since the Enter key presses the first button of a form.
  const body = html`${hidden('version', String(lastVersion(draft).number))}${hidden('of', preview.of)}${hidden('list', place.list)}${place.column != null && hidden('column', place.column)}
    <button hidden>Save</button>
    ${place.column != null && columnFields(place.column, pages)}
    <div class="table-box" role="region" aria-label="Lines with problems or warnings, cell by cell" tabindex="0"><table class="table mend" data-check="/new/${draft.id}/check">
      <caption class="unseen">Lines with their problems; each cell can be corrected here</caption>
      <thead><tr><th scope="col" class="cell is-number">Line</th>${columns.map(({ written, known }) => html`<th scope="col" class="${['cell', known === 'name' && 'is-name']}"><bdi>${written}</bdi>${known !== null && known !== written && html`<span class="is-as">${known}</span>`}</th>`)}</tr></thead>
      ${lines.map((line, at) => lineRows(line, { columns, place, isFirst: at === 0 }))}
    </table></div>
    <div class="beside">${button({ words: t`Save as a new version`, kind: 'primary' })}
      <span class="hint">Only the cells that you change are written; every other byte of the file stays as it is.</span></div>`;
  return html`<div class="mend-tabs">${tab(draft, { list: 'problems', pages: preview.problems, place })}${tab(draft, { list: 'warnings', pages: preview.warnings, place })}</div>
    ${causeChips(draft, pages, place)}
    ${lines.length === 0 ? html`<p>None on this page.</p>` : form({ action: `/new/${draft.id}/mend`, csrf, body, class: 'form', module: 'mend' })}
    ${pageWays(draft, pages, place)}`;
}

function tab(
  { id }: PortfolioDraft,
  { list, pages, place }: { list: MendPlace['list']; pages: MendPages; place: ShownPlace },
): Html | false {
  if (pages.lines === 0) return false;
  const words =
    list === 'problems'
      ? t`${countWords(pages.lines, 'line')} with problems`
      : t`${countWords(pages.lines, 'line')} with warnings`;
  return html`<a class="tab" href="/new/${id}?list=${list}#mend" aria-current="${list === place.list && 'true'}">${words}</a>`;
}

/**
 * Links to the lines that have something wrong in one column, a link for each column. Where such a column is shown, one
 * correction can be made in all of its lines.
 */
function causeChips({ id }: PortfolioDraft, { causes }: MendPages, place: ShownPlace): Html | false {
  if (causes.length < 2 && !causes.some(({ column, lines }) => column !== null && lines > 1)) return false;
  const chip = (words: HtmlValue, column?: string | null) => {
    const query = String(
      new URLSearchParams({ list: place.list, ...(column === undefined ? {} : { column: column ?? '' }) }),
    );
    return html`<a class="tab" href="/new/${id}?${query}#mend" aria-current="${column === place.column && 'true'}">${words}</a>`;
  };
  return html`<div class="mend-tabs">${chip(t`All`)}${causes.slice(0, MOST_CAUSES).map(({ column, lines: count }) => chip(html`${withNumbers(grouped(count))} × ${column === null ? t`the whole line` : html`<bdi>${column}</bdi>`}`, column))}</div>`;
}

const MOST_CAUSES = 20;

/** The fields for one correction of a column, in all lines in which something is wrong there. */
function columnFields(column: string, { causes }: MendPages): Html {
  const count = causes.find((one) => one.column === column)?.lines ?? 0;
  return html`<div class="mend-column" role="group" aria-label="All ${countWords(count, 'line')}">
      <span>In all ${withNumbers(countWords(count, 'line'))}, in <strong><bdi>${column}</bdi></strong>:</span>
      ${field({ label: t`Replace`, name: 'from', maxlength: LONGEST_CELL, placeholder: t`the whole cell` })}
      ${field({ label: t`With`, name: 'to', maxlength: LONGEST_CELL, placeholder: 'nothing' })}
      ${button({ words: t`Replace in all`, name: 'everywhere', value: 'yes' })}
    </div>`;
}

/**
 * The columns of the table: the name first, then columns with something wrong, then the others. Columns that Limitline does not
 * read are left out unless they have a problem, or one names them.
 */
function columnsOf({ columns }: Preview, lines: readonly LineToMend[]): PreviewColumn[] {
  const said = lines.flatMap(({ problems, warnings }) => [...problems, ...warnings]);
  const named = new Set(said.map(({ column }) => column));
  // A number that lost its zeros is compared with the one in this cell, and may be deleted there.
  if (said.some(({ message }) => message.includes(FROM_COLUMN))) named.add(FROM_COLUMN);
  const rank = ({ known, written }: PreviewColumn) => (known === 'name' ? 0 : named.has(written) ? 1 : 2);
  return columns
    .filter(({ known, written }) => known !== null || (written !== '' && named.has(written)))
    .sort((a, b) => rank(a) - rank(b));
}

type RowPlace = { columns: readonly PreviewColumn[]; place: ShownPlace; isFirst: boolean };

function lineRows(line: LineToMend, { columns, place, isFirst }: RowPlace): Html {
  const said = [...line.problems, ...line.warnings];
  const isToFocus = isFirst && place.isFocused;
  const first = columns.findIndex(({ written }) => said.some(({ column }) => column === written));
  return html`<tbody class="mend-line" data-line="${line.line}">
    <tr>${lineHead(line)}${line.broken === undefined ? columns.map((column, at) => cellField(line, { column, said, isFocused: isToFocus && at === first })) : wholeField(line, columns.length)}</tr>
    <tr class="reasons"><td>${tick({ name: `leave-${line.line}`, label: html`Leave out<span class="unseen"> line ${line.line}</span>` })}</td><td colspan="${columns.length}" id="reasons-${line.line}" aria-live="polite">${reasonList(line)}</td></tr>
    ${said.some(({ message }) => isOfSameBuyer(message)) && html`<tr class="reasons"><td></td><td colspan="${columns.length}">${button({ words: t`It is the same buyer`, name: 'same', value: String(line.line), label: t`It is the same buyer (line ${line.line})` })}</td></tr>`}
  </tbody>`;
}

function lineHead({ line }: LineToMend): Html {
  return html`<th scope="row" class="cell is-number"><span class="mend-word">Line </span>${withNumbers(grouped(line))}</th>`;
}

function cellField(
  { line, cells }: LineToMend,
  { column, said, isFocused }: { column: PreviewColumn; said: readonly Problem[]; isFocused: boolean },
): Html {
  const text = cells[column.index] ?? '';
  if (text.length > LONGEST_CELL) return html`<td class="cell"><span class="soft">${text.slice(0, 40)}…</span></td>`;
  const isFaulty = said.some((one) => one.column === column.written);
  const size = Math.min(28, Math.max(6, text.length + 1));
  return html`<td class="${['cell', column.known === 'name' && 'is-name']}" data-head="${column.written}"><input class="mend-cell" name="cell-${line}-${column.index}" value="${text}" size="${size}" autocomplete="off" autofocus="${isFocused}" aria-label="Line ${line}, ${column.written}" aria-invalid="${isFaulty && 'true'}" aria-describedby="${isFaulty && `reasons-${line}`}" data-column="${column.written}"></td>`;
}

/** A broken line cannot be split into cells, so it is edited as one text. */
function wholeField({ line, broken = '' }: LineToMend, width: number): Html {
  if (broken.length > LONGEST_CELL)
    return html`<td class="cell" colspan="${width}"><span class="soft">${broken.slice(0, 80)}…</span></td>`;
  return html`<td class="cell" colspan="${width}"><input class="mend-cell is-whole" name="text-${line}" value="${broken}" autocomplete="off" aria-label="Line ${line} as a whole" aria-invalid="true" aria-describedby="reasons-${line}"></td>`;
}

/** The problems of a line, a sentence each; also the answer to a check of a line while it is edited. */
export function reasonList({ problems, warnings }: Pick<LineToMend, 'problems' | 'warnings'>): Html {
  const said = [...problems, ...warnings];
  if (said.length === 0)
    return html`<p class="is-fine">Nothing is wrong within this line any more. Save, and it is checked against the others.</p>`;
  return html`<ul class="${problems.length === 0 && 'is-warning'}">${said.map(({ column, message }) => html`<li data-column="${column}">${column !== null && html`<strong><bdi>${column}</bdi>:</strong> `}${withNumbers(forPage(message))}</li>`)}</ul>`;
}

function pageWays({ id }: PortfolioDraft, found: MendPages, { list, page, column }: ShownPlace): Html | false {
  const { lines, kept } = found;
  const shown = column === undefined ? kept : (found.causes.find((one) => one.column === column)?.lines ?? 0);
  const count = Math.max(1, Math.ceil(shown / MEND_PAGE_LINES));
  if (lines <= kept && count <= 1) return false;
  const href = (to: number) => {
    const query = String(new URLSearchParams({ list, ...(column === undefined ? {} : { column: column ?? '' }) }));
    return `/new/${id}?${query}&page=${to}#mend`;
  };
  const more =
    lines > kept
      ? t` The first ${grouped(kept)} can be corrected here. After the import, its errors file has all of them.`
      : '';
  return html`<nav class="pager" aria-label="Pages of lines"><span class="pager-words">Page ${page + 1} of ${withNumbers(grouped(count))}.${more}</span>
    ${page > 0 && html`<a class="button is-quiet" href="${href(page - 1)}">Before</a>`}
    ${page + 1 < count && html`<a class="button is-plain" href="${href(page + 1)}" rel="next">Next</a>`}
  </nav>`;
}

/** Advice that messages give for the command line, as patterns, each with the words for this page. All patterns apply, in this order. */
const WORDS: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/unless you say so with --map "[^"]*=\w+"/g, t`unless you choose so below`],
  [/(?:say|with|say so with|say with) --map "([^"]*)="/g, 'read $1 below as “not sent”'],
  [/or --map "([^"]*)="/g, 'or $1'],
  [/say so with --map "([^"]*)=([\w]+)"/g, 'read $1 below as $2'],
  [/say with --map "HEADER=(\w+)" which column it is/g, 'choose below which column is read as $1'],
  [/say --map "([^"]*)=([\w]+)"/g, 'read $1 below as $2'],
  [/(?<=below as [\w“” ]+) --map "([^"]*)="/g, ' and $1 as “not sent”'],
  [/(?<=below as \w+) --map "([^"]*)=([\w]+)"/g, ' and $1 as $2'],
  [/say --decimal comma or --decimal point/g, t`choose “Decimals of amounts” below`],
  [/say --dates dmy or --dates mdy/g, 'choose “Dates” below'],
  [/--decimal comma or --decimal point/g, t`the choice “Decimals of amounts” below`],
  [/--dates dmy or --dates mdy/g, t`the choice “Dates” below`],
  [/with --header-line (\d+) or --header-line (\d+)/g, 'line $1 or $2, in “Header in line” below'],
  [/say --header-line (\d+)/g, 'name line $1 in “Header in line” below'],
  [/with --header-line N/g, t`in “Header in line” below`],
  [/, given by --header-line,/g, t`, given as the header’s,`],
  [/--sheet NAME reads another one/g, t`choose another one below`],
  [/say --hidden-rows to include hidden rows/g, t`tick “Read hidden rows too” below`],
  [/(?:name it|name the right encoding) with --encoding/g, t`choose its encoding below`],
  [/say --same-buyer \d+ or write "yes" in the column same_buyer/g, t`press “It is the same buyer”`],
  [/say --same-buyer \d+/g, t`press “It is the same buyer”`],
  [/--same-buyer was not needed/g, t`“It is the same buyer” was not needed`],
  [/Import it into that one: npx limitline run FILE --portfolio "([^"]*)"\./g, 'Choose portfolio “$1” below.'],
  [
    /the file that report --format errors-csv writes/g,
    t`the file that “File to correct” on the portfolio’s page gives`,
  ],
  [/say --portfolio "([^"]*)"/g, 'choose portfolio “$1” below'],
  [/, and import it with --portfolio/g, t`, and upload each for its own`],
  [
    /(?<=\/[^/]* )is not in the documents folder \S.*?: put it there, or correct the name/g,
    t`was not uploaded with the file: upload the list again, with a ZIP file that has the folder, or correct the name`,
  ],
  [
    /is not in the documents folder \S.*?: put it there, or correct the name/g,
    t`was not uploaded with the file: add it below, or correct the name`,
  ],
  [/is not in the documents folder \S.*?: there is/g, t`was not uploaded: there is`],
];

/** Rewrites a message about a file for this page: a field in place of a command's option. */
export function forPage(message: string): string {
  return WORDS.reduce((text, [pattern, words]) => text.replace(pattern, words), message);
}

/** Whether the message offers to confirm that the line means the buyer to whom its identifiers belong. */
const isOfSameBuyer = (message: string): boolean => message.includes('say --same-buyer');

export function cellsTable(caption: string, cells: readonly MendedCell[]): Html {
  return html`${table({
    caption,
    rows: cells.slice(0, CELLS_SHOWN),
    columns: [
      { head: t`Line`, kind: 'number', names: true, cell: ({ line }) => line },
      { head: t`Column`, cell: ({ column }) => html`<bdi>${column ?? t`the whole line`}</bdi>` },
      { head: t`Before`, cell: ({ before }) => html`<bdi>${before}</bdi>` },
      { head: t`Now`, cell: ({ after }) => html`<bdi>${after}</bdi>` },
    ],
  })}${cells.length > CELLS_SHOWN && html`<p class="quiet">The first ${CELLS_SHOWN} are shown.</p>`}`;
}

/**
 * The page for a person whose changes were not saved, since another tab or person has saved a version meanwhile. It shows what the person
 * typed, since the browser's "back" leads to the new version.
 */
export function conflictView(
  id: string,
  { latest, cells }: { latest: number; cells: MendedCell[] },
  { edits, column }: { edits: readonly LineEdit[]; column?: ColumnEdit | undefined } = { edits: [] },
): Html {
  return html`${pageHead({
    title: t`Another version was saved meanwhile`,
    lead: t`Your changes were not written: version ${latest} is not the one that you looked at. It differs in ${countWords(cells.length, 'cell')}. Load it, and make your changes there.`,
    actions: linkButton({ href: `/new/${id}?list=problems#mend`, words: t`Load version ${latest}`, kind: 'primary' }),
  })}
  ${cellsTable(t`Cells in which it differs`, cells)}
  ${(edits.length > 0 || column !== undefined) && html`<div data-typed="/new/${id}?list=problems">${typedPart(edits, column)}</div>`}`;
}

function typedPart(edits: readonly LineEdit[], column: ColumnEdit | undefined): Html {
  return html`${column && html`<p>Not replaced either, in all lines, in <strong><bdi>${column.column}</bdi></strong>: ${quoted(column.from, t`the whole cell`)} with ${quoted(column.to, t`nothing`)}.</p>`}
  ${
    edits.length > 0 &&
    table({
      caption: t`Lines as you left them`,
      showCaption: true,
      rows: edits,
      columns: [
        { head: t`Line`, kind: 'number', names: true, cell: ({ line }) => grouped(line) },
        { head: t`Cells`, cell: editText },
      ],
    })
  }`;
}

const quoted = (text: string, ifEmpty: string): HtmlValue => (text === '' ? ifEmpty : html`“${theirWords(text)}”`);

function editText(edit: LineEdit): HtmlValue {
  if ('isLeftOut' in edit) return t`left out`;
  if ('text' in edit) return theirWords(edit.text);
  return [...edit.cells.values()].map((text, place) => html`${place > 0 && ' | '}${theirWords(text)}`);
}

const CELLS_SHOWN = 100;
