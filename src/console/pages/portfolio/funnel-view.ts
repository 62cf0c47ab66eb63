import { counted, grouped } from '../../../counted.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import type { FunnelStep } from '../../../ledger/portfolios/summary.ts';
import { GRANTED_STATES, rowsIn, type Step } from '../../../ledger/schema/row.ts';
import { type Html, html } from '../../html/html.ts';
import { stateShape } from '../../parts/state.ts';

const STEP_WORDS: Readonly<Record<Step, string>> = { company: 'Company', documents: 'Documents', limit: 'Limit' };

/** The way of the rows: what waits, what is at each step, what is answered; a card each, with a bar of its share. */
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
