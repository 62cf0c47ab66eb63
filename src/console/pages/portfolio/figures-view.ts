import { counted, grouped } from '../../../counted.ts';
import { APPROVED } from '../../../ledger/counts/sums.ts';
import { rowCountOf, settledRows } from '../../../ledger/portfolios/summary.ts';
import { timeLeftWords } from '../../../pace/time-left.ts';
import { visible } from '../../../portfolio/problem.ts';
import { type Html, html } from '../../html/html.ts';
import { amount } from '../../parts/amount.ts';
import { type Stat, stats } from '../../parts/figures.ts';
import { stateBar } from '../../parts/state.ts';
import { inUtc } from '../../parts/time.ts';
import type { Outlook, PortfolioLook } from './portfolio-look.ts';

/** The few figures that a portfolio comes down to, and its rows by state. */
export function renderFigures(look: PortfolioLook, { open, calls, left }: Outlook): Html {
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
  return html`${stats(figures)}${stateBar(states, { legend: true, label: `Rows of ${state.name} by state` })}`;
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

/** Others are told by the rows' filter. */
const ANSWERS_TOLD = 3;

/** Answers that nobody should take for a yes, the most frequent first: `; 29 under_review`. */
function otherAnswers(statuses: PortfolioLook['state']['statuses']): string {
  return Object.entries(statuses)
    .filter(([status, count]) => status !== APPROVED && count > 0)
    .sort(([, one], [, other]) => other - one)
    .slice(0, ANSWERS_TOLD)
    .map(([status, count]) => `; ${grouped(count)} ${visible(status).slice(0, 60)}`)
    .join('');
}

function grantedHint({ sums, states, statuses }: PortfolioLook['state']): Html {
  const before = states.skipped > 0 && html`; ${amount(sums.before.granted)} granted before`;
  const below = sums.grantedBelow > 0 && html`; ${grouped(sums.grantedBelow)} below the request`;
  const nothing = sums.grantedNothing > 0 && html`; ${grouped(sums.grantedNothing)} approved with nothing granted`;
  return html`${amount(sums.available)} available${otherAnswers(statuses)}${below}${nothing}${before}`;
}

function timeStat(
  { state, imports, ownPerS }: PortfolioLook,
  left: string,
  open: number,
  calls: { fewest: number; most: number },
): Stat {
  if (open === 0 && !state.importing) {
    if (state.finishedMs === undefined) return { label: 'Finished', value: '–' };
    // Since its last file came: a portfolio may be years old.
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
