import { GRANTED_STATES, KIND_OF, rowsIn, STEPS, type Step } from '../schema/row.ts';
import type { PortfolioState } from './portfolio.ts';
import { openRows } from './standing.ts';

/** One step on the way of a portfolio's rows: how many have it before them, are at it, stopped at it, and are past it. */
export type FunnelStep = {
  step: Step;
  before: number;
  at: number;
  /** Refused or held there. */
  stopped: number;
  past: number;
  /** Calls sent for it; a step with nothing to do is passed over without one. */
  calls: number;
};

/** Calls that are still to be made at the least and at the most. */
export type CallsLeft = { fewest: number; most: number };

/**
 * Where the rows of a portfolio are on their way. Rows that wait stand before the first step, also those few that have taken a
 * step and go on later; skipped ones were found at the last, and cancelled ones are on no way any more.
 *
 * @param stopped refused and held rows by the step at which they stopped
 */
export function funnelOf(
  { states, calls }: Pick<PortfolioState, 'states' | 'calls'>,
  stopped: Readonly<Record<Step, number>>,
): FunnelStep[] {
  let before = states.queued;
  const steps: FunnelStep[] = [];
  for (const step of STEPS) {
    steps.push({ step, before, at: states[step], stopped: stopped[step], past: 0, calls: calls[KIND_OF[step]] });
    before += states[step];
  }
  let past = rowsIn(states, GRANTED_STATES);
  for (const one of steps.reverse()) {
    one.past = past;
    past += one.at + one.stopped;
  }
  return steps.reverse();
}

/** How many rows stopped at each step, by why they did. */
export function stoppedAt(causes: readonly { step: Step; rows: number }[]): Record<Step, number> {
  const stopped: Record<Step, number> = { company: 0, documents: 0, limit: 0 };
  for (const { step, rows } of causes) stopped[step] += rows;
  return stopped;
}

/**
 * How many calls the open rows still need: one for each limit, and for companies and documents as many a row as there were so
 * far. Who can say nothing of them yet counts a company for each row at the most.
 */
export function callsLeft(steps: readonly FunnelStep[], states: PortfolioState['states']): CallsLeft {
  const open = openRows({ states });
  const left: CallsLeft = { fewest: open, most: open };
  for (const { step, before, at, past, stopped, calls } of steps) {
    if (step === 'limit') continue;
    const rows = before + at;
    const met = past + stopped + at;
    // Few rows say little of the others.
    const isKnown = met >= ENOUGH_ROWS;
    const perRow = met === 0 ? 0 : Math.min(calls / met, step === 'company' ? 1 : Number.POSITIVE_INFINITY);
    left.fewest += Math.floor(rows * perRow * (isKnown ? 0.9 : 0));
    const most = isKnown || step === 'documents' ? perRow * 1.1 : 1;
    left.most += Math.ceil(rows * (step === 'company' ? Math.min(1, most) : most));
  }
  return left;
}

const ENOUGH_ROWS = 20;
