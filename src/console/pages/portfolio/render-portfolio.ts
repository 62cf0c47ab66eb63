import type { Query, RowFilter } from '../../../ledger/search/row-filter.ts';
import type { Rights } from '../../access/access.ts';
import { can } from '../../access/can.ts';
import { type Html, html } from '../../html/html.ts';
import { linkButton } from '../../parts/button.ts';
import { notice } from '../../parts/notice.ts';
import { pageHead, panel } from '../../parts/page-head.ts';
import { moment } from '../../parts/time.ts';
import { below, portfolioAddress } from './addresses.ts';
import { renderFilterForm } from './filter-form.ts';
import { pieceOf, portfolioFrame } from './portfolio-frame.ts';
import type { PortfolioLook } from './portfolio-look.ts';
import { countsText, type RowsPage, renderRowActions, renderRows } from './rows-view.ts';

/** What was asked for of a portfolio's rows, and what was found. */
type Shown = {
  filter: RowFilter;
  after: string | undefined;
  query: Query;
  page: RowsPage;
  problem: string | undefined;
  csrf: string;
  rights: Rights;
};

/** The page of a portfolio. What the events keep fresh is made by the same functions, and stands in elements of their own. */
export function renderPortfolio(look: PortfolioLook, shown: Shown): Html {
  const { state } = look;
  const frame = portfolioFrame(look, shown);
  const isHeld = look.causes.some(({ id, meaning }) => id === shown.filter.cause && meaning === 'unknown');
  const piece = (id: string) => html`<div id="${id}">${pieceOf(frame, id)}</div>`;
  return html`${pageHead({
    title: html`<bdi>${state.name}</bdi>`,
    trail: [{ href: '/', words: 'Portfolios' }],
    lead: leadOf(look),
    actions: can(shown.rights, 'GET /portfolios/:name/downloads/:file') && renderDownloads(state.name),
  })}
  <div class="stacked" id="portfolio-waits">${pieceOf(frame, 'portfolio-waits')}</div>
  ${piece('portfolio-figures')}
  <div class="portfolio-actions" id="portfolio-actions">${pieceOf(frame, 'portfolio-actions')}</div>
  ${panel({ title: 'Where the rows are', id: 'portfolio-funnel', body: pieceOf(frame, 'portfolio-funnel') })}
  ${panel({ title: 'Failures by cause', id: 'portfolio-causes', body: pieceOf(frame, 'portfolio-causes') })}
  <div class="panels">
    ${panel({ title: 'Calls a second', id: 'portfolio-pace', body: pieceOf(frame, 'portfolio-pace') })}
    ${panel({ title: 'Proof', label: 'Proof strip', id: 'portfolio-proof', body: pieceOf(frame, 'portfolio-proof') })}
  </div>
  <section class="panel" id="rows" aria-labelledby="rows-title" data-module="rows-changed">
    <div class="panel-head"><h2 id="rows-title">Rows</h2>${!isHeld && renderRowActions(state.name, shown.filter, shown.rights)}</div>
    ${renderFilterForm(state, look.causes, { filter: shown.filter, given: textsOf(shown.query), problem: shown.problem })}
    ${shown.problem !== undefined && notice('bad', shown.problem, { title: 'These rows cannot be shown.', urgent: true })}
    <p class="rows-changed" role="status" hidden><span data-words></span> <a href="${portfolioAddress(state.name, shown.filter, shown.after)}">Show them as they are now</a></p>
    <div data-shown="${countsText(state)}">${shown.problem === undefined && renderRows(state, shown.page, shown)}</div>
    <div id="rows-now" hidden></div>
  </section>`;
}

const DOWNLOADS = [
  ['results.csv', 'Results'],
  ['results.xlsx', 'Workbook'],
  ['errors.csv', 'Errors'],
  ['original', 'Imported file'],
] as const;

function renderDownloads(name: string): Html {
  return html`<div class="actions" role="group" aria-label="Downloads">${DOWNLOADS.map(([file, words]) =>
    linkButton({
      href: below(name, 'downloads', file),
      words,
      kind: 'quiet',
      download: true,
      label: `Download: ${words}`,
    }),
  )}</div>`;
}

function leadOf({ state, imports }: PortfolioLook): Html {
  const { file } = state;
  if (!file) return html`No file was imported yet.`;
  const earlier = imports.length > 1 ? `, the last of ${imports.length} imports` : '';
  const last = imports.find(({ number }) => number === file.number);
  return html`<bdi>${file.fileName}</bdi>${earlier}, ${moment(last?.lastMs ?? state.startedMs)}${file.by !== undefined && html` by ${file.by}`}`;
}

function textsOf(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}
