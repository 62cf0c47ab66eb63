import { type Meanings, type StatusMeaning, statusMeaningOf } from '../../status-meaning.ts';
import type { Cause } from '../counts/cause.ts';
import type { MeaningStore } from '../counts/meaning-store.ts';
import { type Money, moneyOf } from '../counts/money.ts';
import { type GrantedSums, grantedOf, type OutcomeSum, outcomesOf } from '../counts/outcome-sums.ts';
import type { RowOutcome } from '../counts/row-outcome.ts';
import type { Sums } from '../counts/sums.ts';
import type { Step } from '../schema/row.ts';
import { GRANTED_STATES, KIND_OF, OPEN_STATES, ROW_STATES, rowsIn, STEPS } from '../schema/row.ts';
import type { PortfolioState } from './portfolio.ts';
import type { Portfolios } from './portfolios.ts';

/** The outcome of a portfolio in one object; amounts are exact decimal text, times ISO 8601 in UTC. */
export type Summary = Sums &
  GrantedSums &
  GrantedShort &
  Pick<
    PortfolioState,
    'invalid' | 'duplicate' | 'kept' | 'replaced' | 'states' | 'statuses' | 'madeTwice' | 'resent' | 'calls'
  > & {
    account: string;
    portfolio: string;
    /** Present while a file is being imported: all counts and sums are of the lines read so far. */
    importing?: true;
    /** Present after an import that was not read to its end, as long as its file is not imported again. */
    interrupted?: true;
    lines: number;
    rows: number;
    /** All outcomes; `cancelled` rows that others replace have none. */
    outcomes: Record<RowOutcome, OutcomeSum>;
    /** What became of the money of all lines. */
    money: Money;
    /** What people say that statuses mean. */
    meanings: Record<string, StatusMeaning>;
    /** Why rows failed, the cause with most rows first. */
    causes: Cause[];
    supplier: string | null;
    started: string | null;
    finished: string | null;
  };

/** Whether lines can be mended. Rows that a person gave up or declined cannot, and neither can what was made twice. */
export function hasFaults({ invalid, duplicate, kept, states }: FaultCounts): boolean {
  return invalid + duplicate + kept + states.refused > 0;
}

type FaultCounts = Pick<Summary, 'invalid' | 'duplicate' | 'kept' | 'states'>;

/**
 * Summarizes a portfolio; undefined if there is none of this name.
 *
 * `lines` are those that led to a row, of any import, and the last import's invalid and duplicate ones without a row. So they add up at
 * every moment, even during an import.
 */
export async function summarize(
  name: string,
  given: { account: string; portfolios: Portfolios; statusMeanings: Pick<MeaningStore, 'read'> },
): Promise<Summary | undefined> {
  const { account, portfolios, statusMeanings } = given;
  const [state, meanings] = await Promise.all([portfolios.read(name), statusMeanings.read()]);
  if (state.startedMs === undefined) return undefined;
  const { invalid, duplicate, kept, replaced, states, statuses, calls } = state;
  const rowCount = rowCountOf(state);
  const outcomes = outcomesOf(state, meanings);
  return {
    account,
    portfolio: name,
    ...(state.importing ? { importing: true } : {}),
    ...(state.interrupted ? { interrupted: true } : {}),
    lines: rowCount + invalid + duplicate,
    invalid,
    duplicate,
    kept,
    replaced,
    rows: rowCount,
    states,
    outcomes,
    money: moneyOf(state, outcomes),
    statuses,
    meanings: Object.fromEntries(meanings),
    ...state.sums,
    ...grantedOf(state, meanings),
    ...grantedShort(state, meanings),
    causes: await portfolios.causes(name),
    madeTwice: state.madeTwice,
    resent: state.resent,
    supplier: (!state.supplierAwaits && state.supplier?.id) || null,
    started: isoTime(state.startedMs),
    finished: isoTime(state.finishedMs),
    calls,
  };
}

/** Numbers of done and skipped rows whose limit is approved, by what statuses mean: granted in part, and with nothing, which means no. */
export type GrantedShort = { grantedBelow: number; grantedNothing: number };

/** Counts rows whose limit was approved with less than the requested amount, or with nothing. */
export function grantedShort({ short }: Pick<PortfolioState, 'short'>, meanings: Meanings): GrantedShort {
  return { grantedBelow: approvedIn(short.below, meanings), grantedNothing: approvedIn(short.nothing, meanings) };
}

function approvedIn(counts: Readonly<Record<string, number>>, meanings: Meanings): number {
  const some = Object.entries(counts).filter(([status]) => statusMeaningOf(status, meanings) === 'approved');
  return some.reduce((sum, [, count]) => sum + count, 0);
}

export function rowCountOf({ states }: Pick<PortfolioState, 'states'>): number {
  return rowsIn(states, ROW_STATES);
}

/** A time as ISO 8601 in UTC; null for none. */
export function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}

/**
 * The progress of a portfolio: an import runs (`importing`) or was given up (`interrupted`); it is `paused`; rows are `open`; the rest
 * waits for another person's approval (`awaiting`); only held rows are left, which need a person's answer (`held`); nothing is left
 * (`settled`).
 */
export type Standing = 'importing' | 'interrupted' | 'paused' | 'open' | 'awaiting' | 'held' | 'settled';

export function standingOf(
  state: Pick<PortfolioState, 'importing' | 'interrupted' | 'paused' | 'finishedMs' | 'states'>,
): Standing {
  const { importing, interrupted, finishedMs, states } = state;
  if (importing) return 'importing';
  if (isPaused(state)) return 'paused';
  if (interrupted) return 'interrupted';
  if (finishedMs !== undefined) return states.held > 0 ? 'held' : 'settled';
  return states.awaiting > 0 && openRows({ states }) === 0 ? 'awaiting' : 'open';
}

/** Number of rows with something still to do, without a person. */
export function openRows({ states }: Pick<PortfolioState, 'states'>): number {
  return rowsIn(states, OPEN_STATES);
}

/** Whether a portfolio is paused and has anything left to do: only then does its pause hold up anything. */
export function isPaused(state: Pick<PortfolioState, 'paused' | 'importing' | 'states'>): boolean {
  return state.paused !== undefined && hasMore(state);
}

/** Whether a portfolio has anything left to do, by a person or without one. */
export function hasMore({ importing, states }: Pick<PortfolioState, 'importing' | 'states'>): boolean {
  return importing || openRows({ states }) + states.awaiting + states.held > 0;
}

/** One step of a portfolio's rows: how many have it ahead, are at it, stopped at it, and are past it. */
export type FunnelStep = {
  step: Step;
  before: number;
  at: number;
  /** Rows refused or held at this step. */
  stopped: number;
  past: number;
  /** Calls sent at the step; a row with nothing to do there needs none. */
  calls: number;
};

export type CallsLeft = { fewest: number; most: number };

/**
 * Counts the rows of a portfolio by step. Queued rows count before the first step, even the few that have already done a step. Skipped rows
 * count as past the last step; cancelled rows are not counted.
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

export function stoppedAt(causes: readonly { step: Step; rows: number }[]): Record<Step, number> {
  const stopped: Record<Step, number> = { company: 0, documents: 0, limit: 0 };
  for (const { step, rows } of causes) stopped[step] += rows;
  return stopped;
}

/**
 * Estimates how many calls the open rows still need: one for each limit; for companies and documents as many a row as so far. Without
 * enough rows so far, each row counts as at most one company call.
 */
export function callsLeft(steps: readonly FunnelStep[], states: PortfolioState['states']): CallsLeft {
  const open = openRows({ states });
  const left: CallsLeft = { fewest: open, most: open };
  for (const { step, before, at, past, stopped, calls } of steps) {
    if (step === 'limit') continue;
    const rows = before + at;
    const met = past + stopped + at;
    // A few rows are no basis for an estimate.
    const isKnown = met >= ENOUGH_ROWS;
    const perRow = met === 0 ? 0 : Math.min(calls / met, step === 'company' ? 1 : Number.POSITIVE_INFINITY);
    left.fewest += Math.floor(rows * perRow * (isKnown ? 0.9 : 0));
    const most = isKnown || step === 'documents' ? perRow * 1.1 : 1;
    left.most += Math.ceil(rows * (step === 'company' ? Math.min(1, most) : most));
  }
  return left;
}

const ENOUGH_ROWS = 20;
