import { grouped } from '../../../counted.ts';
import { outcomesOf, soleCurrency } from '../../../ledger/counts/outcome-sums.ts';
import type { FaultyPage } from '../../../ledger/portfolios/faulty-lines.ts';
import { type Check, overallOf, proofOf } from '../../../ledger/portfolios/proof.ts';
import { hasMore, openRows } from '../../../ledger/portfolios/summary.ts';
import { UNFINISHED_STATES } from '../../../ledger/schema/row.ts';
import type { Query, RowFilter } from '../../../ledger/search/row-filter.ts';
import { spansOf } from '../../../pace/samples.ts';
import { HOUR_MS } from '../../../time-units.ts';
import { can, type Right, type Rights } from '../../access/access.ts';
import type { Frame } from '../../events/hub.ts';
import { type Html, html, t } from '../../html/html.ts';
import { type BannerKind, notice, pageHead, panel } from '../../parts/blocks.ts';
import { actionButton, button, form, linkButton, select, tick } from '../../parts/form.ts';
import { advice, commandLine, moment, shellWord, withNumbers } from '../../parts/text.ts';
import { below, type Listing, planAddress, portfolioAddress } from '../addresses.ts';
import { decisionsForm } from '../decisions/decisions-view.ts';
import { madeWords } from '../new/words.ts';
import { statusQuestions } from '../statuses/statuses-routes.ts';
import { mayWords } from '../who-may.ts';
import { renderCauses, renderFunnel, renderMoney } from './figures-view.ts';
import { renderFilterForm } from './filter-form.ts';
import { renderPaceChart } from './pace-chart.ts';
import { type PortfolioLook, workLeftOf } from './portfolio-look.ts';
import { countsText, type RowsPage, renderFaultyLines, renderRowActions, renderRows } from './rows-view.ts';
import { failedSessions, waitsFor } from './waits-for.ts';

/** Which rows of a portfolio were asked for, and which were found. */
type Shown = {
  filter: RowFilter;
  listing: Listing;
  query: Query;
  /** Undefined where only lines that led to no row are asked for. */
  page: RowsPage | undefined;
  faulty: FaultyPage | undefined;
  problem: string | undefined;
  csrf: string;
  rights: Rights;
};

/** The page of a portfolio. Its pieces come from the function that also makes them for events, and each has an element of its own. */
export function renderPortfolio(look: PortfolioLook, shown: Shown): Html {
  const { state } = look;
  const frame = portfolioFrame(look, shown);
  const outcomes = outcomesOf(state, look.meanings);
  // The part with the counts is unfolded where they contradict each other, so that everybody sees it.
  const isProven = overallOf(proofOf(state, look.imports)) !== 'wrong';
  const isHeld = look.causes.some(({ id, meaning }) => id === shown.filter.cause && meaning === 'unknown');
  return html`${pageHead({
    title: html`<bdi>${state.name}</bdi>`,
    trail: [{ href: '/', words: t`Portfolios` }],
    lead: leadOf(look),
    actions: can(shown.rights, 'GET /portfolios/:name/downloads/:file') && renderDownloads(state.name),
  })}
  <div class="stacked" id="portfolio-waits">${pieceOf(frame, 'portfolio-waits')}</div>
  <div class="stacked" id="portfolio-statuses">${pieceOf(frame, 'portfolio-statuses')}</div>
  ${panel({ title: t`Money`, id: 'portfolio-money', body: pieceOf(frame, 'portfolio-money') })}
  <div class="portfolio-actions" id="portfolio-actions">${pieceOf(frame, 'portfolio-actions')}</div>
  ${state.states.done + state.states.skipped > 0 && can(shown.rights, 'POST /portfolios/:name/decisions') && decisionsForm(state.name, shown.csrf)}
  ${panel({ title: t`Failures by cause`, id: 'portfolio-causes', body: pieceOf(frame, 'portfolio-causes') })}
  <section class="panel" id="rows" aria-labelledby="rows-title" data-module="rowsChanged">
    <div class="panel-head"><h2 id="rows-title">Rows</h2>${!isHeld && renderRowActions(state.name, shown.filter, shown.rights)}</div>
    ${renderFilterForm({ state, outcomes, causes: look.causes }, { ...shown, given: textsOf(shown.query) })}
    ${shown.problem !== undefined && notice('bad', shown.problem, { title: t`These rows cannot be shown.`, urgent: true })}
    <p class="rows-changed" role="status" hidden><span data-words></span> <a href="${portfolioAddress(state.name, shown.filter, shown.listing)}">Show them as they are now</a></p>
    <div data-module="pickRows"><div data-shown="${countsText(outcomes)}">
      ${shown.problem === undefined && shown.page && renderRows(state, shown.page, { ...shown, meanings: look.meanings, imports: look.imports })}
      ${shown.faulty && html`<h3 class="lines-title">Lines of the file that led to no row</h3>${renderFaultyLines(state.name, shown.faulty, shown)}`}
    </div></div>
    <div id="rows-now" hidden></div>
  </section>
  <details class="fold" id="pipeline" open="${!isProven}">
    <summary>Pipeline <span class="quiet">where the rows are, calls a second, whether the counts add up</span></summary>
    ${panel({ title: t`Where the rows are`, id: 'portfolio-funnel', body: pieceOf(frame, 'portfolio-funnel') })}
    <div class="panels">
      ${panel({ title: t`Calls a second`, id: 'portfolio-pace', body: pieceOf(frame, 'portfolio-pace') })}
      ${panel({ title: t`Proof`, label: t`Proof strip`, id: 'portfolio-proof', body: pieceOf(frame, 'portfolio-proof') })}
    </div>
  </details>`;
}

const DOWNLOADS = [
  ['results.csv', t`Download CSV`],
  ['results.xlsx', t`Excel`],
  ['errors.csv', t`File to correct`],
  ['original', t`Imported file`],
] as const;

function renderDownloads(name: string): Html {
  return html`<div class="downloads"><div class="actions" role="group" aria-label="Downloads">${DOWNLOADS.map(
    ([file, words]) =>
      linkButton({
        href: below(name, 'downloads', file),
        words,
        kind: 'quiet',
        download: true,
        ...(file === 'results.csv' ? {} : { label: t`Download: ${words}` }),
      }),
  )}</div>${renderConventions(name)}</div>`;
}

/** Asks how the CSV of the results is written for a spreadsheet; the plain download can be imported again and read back. */
function renderConventions(name: string): Html {
  const choices = (...options: [value: string, words: string][]) => options.map(([value, words]) => ({ value, words }));
  const body = html`
    ${select({ label: t`Decimals`, name: 'decimal', id: 'csv-decimal', options: choices(['comma', t`comma: 1250,50`], ['point', t`point: 1250.50`]) })}
    ${select({ label: t`Separator`, name: 'delimiter', id: 'csv-delimiter', options: choices(['semicolon', t`semicolon`], ['comma', t`comma`], ['tab', t`tab`]) })}
    ${tick({ label: t`for Excel`, name: 'excel', checked: true })}
    ${button({ words: t`Download` })}
    <p class="hint">This download writes all limits with these decimals: requested, granted and available ones. In the Excel file they are numbers. “Download CSV” has your columns as they were typed, and the columns of Limitline with a decimal point: 1250.50.</p>`;
  return html`<details class="csv-as" id="csv-as"><summary>CSV with other decimals…</summary>${form({ action: below(name, 'downloads', 'results.csv'), method: 'get', body, class: 'csv-form', label: t`CSV with other decimals` })}</details>`;
}

function leadOf({ state, imports }: PortfolioLook): Html {
  const { file } = state;
  if (!file) return html`No file was imported yet.`;
  const earlier = imports.length > 1 ? t`, the last of ${imports.length} imports` : '';
  const last = imports.find(({ number }) => number === file.number);
  return html`<bdi>${file.fileName}</bdi>${earlier}, ${moment(last?.lastMs ?? state.startedMs)}${file.by !== undefined && html` by ${file.by}`}${imports.map(
    ({ fileName, made }) => {
      const words = made ? madeWords(made) : '';
      return (
        words !== '' &&
        html`<br><span class="quiet">${imports.length > 1 && html`<bdi>${fileName}</bdi>: `}${withNumbers(words)}</span>`
      );
    },
  )}`;
}

function textsOf(query: Query): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/**
 * The pieces of a portfolio's page that events refresh, by the id of each piece's element.
 *
 * @param given.rights of the people who see the page; actions that they may not do are left out
 * @param given.csrf the page's token; empty in events, which are the same for everybody with the same rights
 */
export function portfolioFrame(look: PortfolioLook, { rights, csrf = '' }: { rights: Rights; csrf?: string }): Frame {
  const { state, causes, meanings } = look;
  const workLeft = workLeftOf(look);
  return [
    { id: 'portfolio-waits', html: renderWaits(look, rights) },
    {
      id: 'portfolio-statuses',
      html: statusQuestions(state.statuses, look.meanings, { rights, csrf, back: state.name }),
    },
    { id: 'portfolio-money', html: renderMoney(look, workLeft) },
    { id: 'portfolio-actions', html: renderActions(look, { rights, csrf }) },
    { id: 'portfolio-funnel', html: renderFunnel(workLeft.steps, state) },
    { id: 'portfolio-pace', html: renderPace(look) },
    { id: 'portfolio-causes', html: renderCauses({ name: state.name, currency: soleCurrency(state) }, causes, rights) },
    { id: 'portfolio-proof', html: renderProof(look) },
    { id: 'rows-now', html: html`<span data-counts="${countsText(outcomesOf(state, meanings))}"></span>` },
  ];
}

/** The piece with this id, for the first rendering of the page. */
export function pieceOf(frame: Frame, id: string): Html {
  return frame.find((one) => one.id === id)?.html ?? html``;
}

const HELD_DESK = { words: t`Answer`, right: 'GET /portfolios/:name/held' } as const;
const WAYS: Readonly<Record<string, { words: string; right: Right }>> = {
  '/new': { words: t`Import it`, right: 'GET /new' },
  '/work': { words: t`To the queues`, right: 'GET /work' },
  '/approvals': { words: t`To the approvals`, right: 'GET /approvals' },
};
const ONE_APPROVAL = { words: t`Look at it`, right: 'GET /approvals/:id' } as const;

const RESUME = 'POST /portfolios/:name/resume';

function renderWaits(look: PortfolioLook, rights: Rights): Html {
  const wayOf = (href: string) => {
    const way = WAYS[href] ?? (href.startsWith('/approvals/') ? ONE_APPROVAL : HELD_DESK);
    return can(rights, way.right) && html`<a href="${href}">${way.words}</a>`;
  };
  const whoActs = (act: 'resume' | 'answer') => {
    const { who, state } = look;
    if (act === 'answer') return !can(rights, HELD_DESK.right) && mayWords(who.operate, t`answer`);
    return !can(rights, RESUME, state.pauseKind) && mayWords(who.resume, t`resume it`);
  };
  return html`${waitsFor(look).map(({ kind, title, words, command, href, act }) =>
    notice(
      kind,
      html`${typeof words === 'string' ? advice(words) : words} ${href !== undefined && wayOf(href)}${act !== undefined && whoActs(act)}${command !== undefined && commandLine(command)}`,
      { title },
    ),
  )}${failedSessions(look.sessions)}`;
}

function renderActions({ state, who }: PortfolioLook, { rights, csrf }: { rights: Rights; csrf: string }): Html {
  const { name, paused, pauseKind, states } = state;
  const word = shellWord(name);
  const open = openRows(state);
  const pauses =
    paused === undefined
      ? open > 0 &&
        can(rights, 'POST /portfolios/:name/pause') &&
        actionButton({ action: below(name, 'pause'), csrf, words: t`Pause`, command: `npx limitline pause ${word}` })
      : hasMore(state) &&
        can(rights, RESUME, pauseKind) &&
        actionButton({
          action: below(name, 'resume'),
          csrf,
          fields: { pause: paused },
          words: t`Resume`,
          kind: 'primary',
          command: `npx limitline resume ${word}`,
        });
  const hasRetry = states.refused > 0;
  const retry =
    hasRetry &&
    can(rights, 'GET /plans/new', 'retry') &&
    planned(
      planAddress(name, 'retry', { states: ['refused'] }),
      t`Send ${grouped(states.refused)} rejected again…`,
      `npx limitline retry ${word}`,
    );
  const hasCancel = open + states.awaiting > 0;
  const cancel =
    hasCancel &&
    can(rights, 'GET /plans/new', 'cancel') &&
    planned(
      planAddress(name, 'cancel', { states: UNFINISHED_STATES }),
      t`Cancel what is left…`,
      `npx limitline cancel ${word}`,
      'danger',
    );
  const others = [
    ...(hasRetry && !retry ? [t`send rejected rows again`] : []),
    ...(hasCancel && !cancel ? [t`cancel what is left`] : []),
  ];
  return html`${pauses}${retry}${cancel}${others.length > 0 && html`<span class="quiet">${mayWords(who.own, others.join(t` and `))}</span>`}`;
}

function planned(href: string, words: string, command: string, kind: 'plain' | 'danger' = 'plain'): Html {
  return html`<div class="action">${linkButton({ href, words, kind, dialog: true })}${commandLine(command)}</div>`;
}

/** The stretch of time that the chart shows: one hour, the longest that the samples cover. */
const SHOWN_MS = HOUR_MS;

function renderPace({ state, samples, nowMs }: PortfolioLook): Html {
  const end = openRows(state) > 0 || state.finishedMs === undefined ? nowMs : state.finishedMs;
  const begin = Math.max(state.startedMs ?? 0, end - SHOWN_MS);
  const empty =
    openRows(state) > 0
      ? t`Nothing was answered yet. The chart begins with the first answer.`
      : t`Only the last hour of sending is kept, and this portfolio was sent before that.`;
  return renderPaceChart(spansOf(samples), { fromMs: begin, toMs: end, empty });
}

const SAID: Readonly<Record<Check['is'], { kind: BannerKind; title: string; mark: string }>> = {
  right: { kind: 'good', title: t`All counts agree.`, mark: t`agrees` },
  wrong: { kind: 'bad', title: t`Counts differ.`, mark: t`differs` },
  open: { kind: 'info', title: t`All counts agree so far.`, mark: t`not yet` },
  unknown: { kind: 'info', title: t`Some counts are not known.`, mark: t`not counted` },
};

const SHAPES: Readonly<Record<Check['is'], string>> = {
  right: 'M3 8.5 6.5 12 13 4.5',
  wrong: 'M4 4l8 8M12 4l-8 8',
  open: 'M8 2.5a5.5 5.5 0 1 0 .01 0M8 5v3.2L10 10',
  unknown: 'M5.5 6a2.5 2.5 0 1 1 3.6 2.2C8.3 8.7 8 9.1 8 10M8 12.4v.1',
};

/** The number of last imports that are shown one by one; earlier ones are shown only where something is wrong. */
const IMPORTS_SHOWN = 5;

/** Checks that no row was lost and nothing was made twice: each count next to another that was kept independently. */
function renderProof({ state, imports, twice }: PortfolioLook): Html {
  const checks = proofOf(state, imports);
  const { kind, title } = SAID[overallOf(checks)];
  const lines = checks.filter((check) => check.of === 'lines');
  const early = lines.slice(0, -IMPORTS_SHOWN).filter(({ is }) => is !== 'wrong');
  const shown = checks.filter((check) => !early.includes(check));
  return html`${notice(kind, title)}
    <ul class="proof">${shown.map(renderCheck)}</ul>
    ${early.length > 0 && html`<p class="quiet">${early.length} earlier imports: nothing differs.</p>`}
    ${twice.length > 0 && html`<ul>${twice.map(({ kind: what, id, again }) => html`<li>a ${what} was made twice: <code>${id}</code> and <code>${again}</code></li>`)}</ul>`}
    <p class="quiet">${commandLine('npx limitline reconcile', t`To check each row:`)}</p>`;
}

function renderCheck({ is, figures, words, import: of }: Check): Html {
  return html`<li class="proof-check is-${is}">
    <span class="proof-mark"><svg class="shape" viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[is]}"/></svg><span class="unseen">${SAID[is].mark}: </span></span>
    <div><p class="proof-figures">${figures}</p>
    ${of && html`<p class="quiet">import ${of.number}, <bdi>${of.fileName}</bdi></p>`}
    ${words !== undefined && html`<p class="proof-words">${words}</p>`}</div>
  </li>`;
}
