import type { CallKind } from '../../call-kind.ts';
import type { Cause } from '../counts/causes.ts';
import type { Sums } from '../counts/sums.ts';
import { ROW_STATES, type RowState, rowsIn } from '../schema/row.ts';
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
