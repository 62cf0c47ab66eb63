import type { CallKind } from '../../call-kind.ts';
import type { Cause } from '../counts/cause.ts';
import type { Sums } from '../counts/sums.ts';
import {
  GRANTED_STATES,
  KIND_OF,
  OPEN_STATES,
  ROW_STATES,
  type RowState,
  rowsIn,
  SETTLED_STATES,
  STEPS,
  type Step,
} from '../schema/row.ts';
import type { PortfolioState } from './portfolio.ts';
import type { Portfolios } from './portfolios.ts';

/** What became of a portfolio, in one object; amounts are exact decimal text, times ISO 8601 in UTC. */
export type Summary = Sums & {
  account: string;
  portfolio: string;
  lines: number;
  invalid: number;
  duplicate: number;
  /** Rows whose line the last import found invalid; they stay as they were, and the line counts as its row. */
  kept: number;
  /** Rows among the cancelled in whose place others stand, or whose line a file that replaces the others lacks. */
  replaced: number;
  rows: number;
  states: Record<RowState, number>;
  statuses: Record<string, number>;
  /** Why rows failed, the cause of most rows first. */
  causes: Cause[];
  /** Things made twice for its rows, which only `resend` and what a person says can lead to. */
  madeTwice: number;
  /** Calls that were sent again though nobody knew what had become of them: the service may have such a thing twice. */
  resent: Record<CallKind, number>;
  supplier: string | null;
  started: string | null;
  finished: string | null;
  calls: Record<CallKind | 'token' | 'throttled', number>;
};

/**
 * Sums up a portfolio, or answers nothing where there is none of that name.
 *
 * `lines` are those that led to a row, whichever import they came from, and the last import's invalid and duplicate
 * ones that have none; so they add up at every moment, also while an import runs.
 */
export async function summarize(
  name: string,
  { account, portfolios }: { account: string; portfolios: Portfolios },
): Promise<Summary | undefined> {
  const state = await portfolios.read(name);
  if (state.startedMs === undefined) return undefined;
  const { invalid, duplicate, kept, replaced, states, statuses, calls } = state;
  const rowCount = rowCountOf(state);
  return {
    account,
    portfolio: name,
    lines: rowCount + invalid + duplicate,
    invalid,
    duplicate,
    kept,
    replaced,
    rows: rowCount,
    states,
    statuses,
    ...state.sums,
    causes: await portfolios.causes(name),
    madeTwice: state.madeTwice,
    resent: state.resent,
    supplier: state.supplier?.id ?? null,
    started: isoTime(state.startedMs),
    finished: isoTime(state.finishedMs),
    calls,
  };
}

/** How many rows a portfolio has, in whatever state. */
export function rowCountOf({ states }: Pick<PortfolioState, 'states'>): number {
  return rowsIn(states, ROW_STATES);
}

/** ISO 8601 in UTC. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/**
 * How far a portfolio is: an import of it runs, or was given up; it is paused; rows are open; what is left waits for another
 * person's approval; only held rows are left, which need a person's answer; or nothing is left.
 */
export type Standing = 'importing' | 'interrupted' | 'paused' | 'open' | 'awaiting' | 'held' | 'settled';

export function standingOf({
  importing,
  interrupted,
  paused,
  finishedMs,
  states,
}: Pick<PortfolioState, 'importing' | 'interrupted' | 'paused' | 'finishedMs' | 'states'>): Standing {
  if (importing) return 'importing';
  if (paused !== undefined) return 'paused';
  if (interrupted) return 'interrupted';
  if (finishedMs !== undefined) return states.held > 0 ? 'held' : 'settled';
  return states.awaiting > 0 && openRows({ states }) === 0 ? 'awaiting' : 'open';
}

/** The rows of which is known what became of them. */
export function settledRows(states: PortfolioState['states']): number {
  return rowsIn(states, SETTLED_STATES);
}

/** The rows for which something is still to be done without a person. */
export function openRows({ states }: Pick<PortfolioState, 'states'>): number {
  return rowsIn(states, OPEN_STATES);
}

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
