import { counted, grouped } from '../../../counted.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import { type FunnelStep, rowCountOf, settledRows } from '../../../ledger/portfolios/summary.ts';
import { GRANTED_STATES, rowsIn, type Step } from '../../../ledger/schema/row.ts';
import { timeLeftWords } from '../../../pace/time-left.ts';
import { can, type Rights } from '../../access/access.ts';
import { type Html, html } from '../../html/html.ts';
import { type Stat, shownCounts, stateBadge, stateBar, stateShape, stats } from '../../parts/figures.ts';
import { linkButton } from '../../parts/form.ts';
import { amount, commandLine, inUtc, shellWord } from '../../parts/text.ts';
import { below, planAddress, portfolioAddress } from '../addresses.ts';
import type { PortfolioLook, PortfolioOutlook, ShownCause } from './portfolio-look.ts';

/** The main figures of a portfolio, and a bar of its rows by state. */
export function renderFigures(look: PortfolioLook, { open, calls, left }: PortfolioOutlook): Html {
  const { state } = look;
  const { states, sums } = state;
  const rows = rowCountOf(state);
  const figures: Stat[] = [
    {
      label: 'Rows settled',
      value: html`${grouped(settledRows(states))} <small>of ${grouped(rows)}</small>`,
      hint: `${heldHint(states)}${faultyHint(state)}`,
    },
    {
      label: 'Requested',
      value: amount(sums.requested),
      hint: html`of ${amount(sums.inAllRows)} in all rows${sums.unreadable > 0 && `; ${grouped(sums.unreadable)} amounts cannot be read`}`,
    },
    {
      label: 'Granted',
      value: amount(sums.granted),
      hint: grantedHint(state),
    },
    timeStat(look, left === undefined ? '' : timeLeftWords(left), open, calls),
  ];
  return html`${stats(figures)}${stateBar(shownCounts(state, look.meanings), { legend: true, label: `Rows of ${state.name} by outcome` })}`;
}

function heldHint({ held, awaiting }: PortfolioLook['state']['states']): string {
  const waits = awaiting > 0 ? `${counted(awaiting, 'waits', 'wait')} for approval; ` : '';
  return `${held > 0 ? `${grouped(held)} held; ` : ''}${waits}`;
}

function faultyHint({ invalid, duplicate, kept }: PortfolioLook['state']): string {
  if (invalid + duplicate + kept === 0) return 'no line invalid';
  const as = kept > 0 ? `, ${counted(kept, 'row')} kept as ${kept === 1 ? 'it was' : 'they were'}` : '';
  return `${counted(invalid, 'line')} invalid, ${grouped(duplicate)} duplicate${as}`;
}

function grantedHint({ sums, states }: PortfolioLook['state']): Html {
  const before = states.skipped > 0 && html`; ${amount(sums.before.granted)} granted before`;
  return html`${amount(sums.available)} available${before}`;
}

function timeStat(
  { state, imports, ownPerS }: PortfolioLook,
  left: string,
  open: number,
  calls: { fewest: number; most: number },
): Stat {
  if (open === 0 && !state.importing) {
    if (state.finishedMs === undefined) return { label: 'Finished', value: '–' };
    // Counted from the last import, since a portfolio may be years old.
    const begunMs = Math.max(state.startedMs ?? 0, ...imports.map(({ lastMs }) => lastMs));
    const tookS = (state.finishedMs - begunMs) / 1_000;
    const at = inUtc(state.finishedMs);
    return {
      label: state.states.held > 0 ? 'Sending ended' : 'Finished',
      value: html`${at.slice(11, 19)} <small>UTC</small>`,
      hint: `${at.slice(0, 10)}, ${lasted(tookS)} after its last import`,
    };
  }
  const range =
    calls.fewest === calls.most ? grouped(calls.most) : `${grouped(calls.fewest)} to ${grouped(calls.most)}`;
  const own =
    ownPerS === undefined || ownPerS < 0.05
      ? ''
      : `, ${ownPerS >= 10 ? Math.round(ownPerS) : ownPerS.toFixed(1)} a second of this portfolio`;
  return {
    label: 'Time left',
    value: left === '' ? html`<small>${state.paused === undefined ? 'not known yet' : 'paused'}</small>` : left,
    hint: `${range} calls left${own}`,
  };
}

function lasted(seconds: number): string {
  if (seconds < 90) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  return seconds < 5_400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}

/** The most causes that the page shows, since nobody reads more; the rows of other causes can be found by their state. */
export const CAUSES_SHOWN = 20;

const MEANINGS: Readonly<Record<string, string>> = {
  refused: 'refused',
  unknown: 'outcome unknown',
  'put off': 'put off too often',
  other: 'made for another line',
  ours: 'fault of Limitline',
};

/** Why rows failed: the cause with most rows first, each with the actions for all of its rows. */
export function renderCauses(name: string, causes: readonly ShownCause[], rights: Rights): Html {
  if (causes.length === 0) return html`<p class="quiet">No row has failed.</p>`;
  const rest = causes.slice(CAUSES_SHOWN);
  const restRows = rest.reduce((sum, { rows }) => sum + rows, 0);
  return html`<ol class="causes">${causes.slice(0, CAUSES_SHOWN).map((cause) => renderCause(name, cause, rights))}</ol>
    ${rest.length > 0 && html`<p class="quiet">${grouped(rest.length)} more causes of ${counted(restRows, 'row')}: ${commandLine(`npx limitline report ${shellWord(name)} --causes`)}</p>`}`;
}

function renderCause(name: string, cause: ShownCause, rights: Rights): Html {
  const { id, step, meaning, status, words, rows, sum, sample } = cause;
  const isHeld = meaning === 'unknown';
  const of = { cause: id };
  const label = words === '' ? `${meaning} at ${step}` : words;
  return html`<li class="cause">
    <p class="cause-count"><a href="${portfolioAddress(name, of)}">${counted(rows, 'row')}</a> ${amount(sum)}</p>
    <div class="cause-words">
      <p>${stateBadge(isHeld ? 'held' : 'refused', `${MEANINGS[meaning] ?? meaning}${status === null ? '' : ` · ${status}`}`)} <span class="quiet">at ${step}</span></p>
      <p class="cause-text">${words === '' ? html`<span class="quiet">no words in the answer</span>` : html`<q>${words}</q>`}</p>
      <p class="cause-way">${sample && html`<a href="${below(name, 'rows', sample.row.key)}">For example line ${sample.line}</a>`} ${commandLine(commandOf(name, cause))}</p>
    </div>
    <div class="actions">
      ${
        isHeld
          ? can(rights, 'GET /portfolios/:name/held') &&
            linkButton({
              href: below(name, 'held'),
              words: 'Answer…',
              label: `Answer for the rows held for: ${label}`,
            })
          : can(rights, 'GET /plans/new', 'retry') &&
            linkButton({
              href: planAddress(name, 'retry', of),
              words: 'Retry…',
              dialog: true,
              label: `Retry the rows refused for: ${label}`,
            })
      }
      ${!isHeld && can(rights, 'POST /nightly/rules') && linkButton({ href: `/nightly?${new URLSearchParams({ cause: id, portfolio: name })}#new-rule`, words: 'Each night…', kind: 'quiet', label: `Have the rows go again each night that were refused for: ${label}` })}
      ${!isHeld && can(rights, 'GET /portfolios/:name/downloads/:file') && linkButton({ href: `${below(name, 'downloads', 'errors.csv')}?cause=${encodeURIComponent(id)}`, words: 'Export', kind: 'quiet', download: true, label: `Export the rows that failed for: ${label}` })}
      ${!isHeld && can(rights, 'GET /plans/new', 'cancel') && linkButton({ href: planAddress(name, 'cancel', of), words: 'Cancel…', kind: 'quiet', dialog: true, label: `Cancel the rows refused for: ${label}` })}
    </div>
  </li>`;
}

function commandOf(name: string, { id, meaning }: ShownCause): string {
  if (meaning === 'unknown') return `npx limitline report ${shellWord(name)} --state held --out held.csv`;
  return `npx limitline retry ${shellWord(name)} --cause ${id}`;
}

const STEP_WORDS: Readonly<Record<Step, string>> = { company: 'Company', documents: 'Documents', limit: 'Limit' };

/** The progress of the rows: waiting, at each step, answered. Each stage is a card with a bar of its share. */
export function renderFunnel(steps: readonly FunnelStep[], { states }: Pick<PortfolioState, 'states'>): Html {
  const rows = Object.values(states).reduce((sum, count) => sum + count, 0);
  const answered = rowsIn(states, GRANTED_STATES);
  return html`<ol class="funnel">
    ${stage({ name: 'Waiting', state: 'queued', here: states.queued, rows, hints: waitingHints(states) })}
    ${steps.map(({ step, at, past, stopped, calls }) =>
      stage({
        name: STEP_WORDS[step],
        state: step,
        here: at,
        rows,
        share: past,
        hints: [
          `${grouped(past)} past it`,
          ...(stopped > 0 ? [`${grouped(stopped)} stopped here`] : []),
          `${counted(calls, 'call')} sent`,
        ],
      }),
    )}
    ${stage({
      name: 'Answered',
      state: 'done',
      here: answered,
      rows,
      share: answered,
      hints: [`${grouped(states.done)} done`, `${grouped(states.skipped)} made before`],
    })}
  </ol>`;
}

function waitingHints({ awaiting }: PortfolioState['states']): string[] {
  const waits = awaiting > 0 ? [`${grouped(awaiting)} more for approval`] : [];
  return ['not begun, or put back', ...waits];
}

function stage(given: {
  name: string;
  state: 'queued' | Step | 'done';
  here: number;
  rows: number;
  share?: number;
  hints: readonly string[];
}): Html {
  const { name, state, here, rows, share = here, hints } = given;
  const width = rows === 0 ? 0 : Math.max(share > 0 ? 2 : 0, Math.round((share / rows) * 100));
  return html`<li class="funnel-stage">
    <h3 class="funnel-name">${stateShape(state)}${name}</h3>
    <p class="funnel-here">${grouped(here)}<span class="unseen"> rows here now</span></p>
    <svg class="funnel-bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="state-none" width="100" height="4"/><rect class="state-${state}" width="${width}" height="4"/></svg>
    <p class="funnel-hints">${hints.map((hint) => html`<span>${hint}</span> `)}</p>
  </li>`;
}
