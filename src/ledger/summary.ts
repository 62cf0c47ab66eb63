import { Big } from 'big.js';
import type { CallKind } from './keys.ts';
import type { Portfolios } from './portfolios.ts';
import { pagesOf } from './row-pages.ts';
import { ROW_STATES, type RowState, type Rows } from './rows.ts';

/** What became of a portfolio, in one object; amounts are exact decimal text, times ISO 8601 in UTC. */
export type Summary = {
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
  requested: string;
  granted: string;
  available: string;
  /** Things made twice for its rows, which only `resend` and a person's word can lead to. */
  madeTwice: number;
  supplier: string | null;
  started: string | null;
  finished: string | null;
  calls: Record<CallKind | 'token' | 'throttled', number>;
};

/**
 * Sums up a portfolio, or answers nothing where there is none of that name.
 *
 * `lines` are those that led to a row, whichever import they came from, and the last import's invalid and duplicate
 * ones that have none; so they add up at every moment, also while an import runs. `requested` is the sum over all rows but the
 * replaced, `granted` and `available` over those that are done, as the service answered.
 */
export async function summarize(
  name: string,
  { account, portfolios, rows }: { account: string; portfolios: Portfolios; rows: Rows },
): Promise<Summary | undefined> {
  const state = await portfolios.read(name);
  if (state.startedMs === undefined) return undefined;
  const { invalid, duplicate, kept, replaced, states, statuses, calls } = state;
  const rowCount = ROW_STATES.reduce((sum, rowState) => sum + states[rowState], 0);
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
    ...(await sumAmounts(name, rows)),
    madeTwice: state.madeTwice,
    supplier: state.supplier?.id ?? null,
    started: isoTime(state.startedMs),
    finished: isoTime(state.finishedMs),
    calls,
  };
}

async function sumAmounts(
  name: string,
  rows: Rows,
): Promise<{ requested: string; granted: string; available: string }> {
  let [requested, granted, available] = [new Big(0), new Big(0), new Big(0)];
  for (const state of ROW_STATES) {
    for await (const page of pagesOf(rows, name, state)) {
      for (const result of await rows.read(page)) {
        if (!result || result.replaced) continue;
        requested = requested.plus(result.request.limit.requested_limit);
        if (state !== 'done') continue;
        granted = granted.plus(amountOf(result.record.total_limit));
        available = available.plus(amountOf(result.record.available_limit));
      }
    }
  }
  return { requested: moneyText(requested), granted: moneyText(granted), available: moneyText(available) };
}

/** The service's amounts are taken as they come; one that is no number counts as nothing rather than as an error. */
function amountOf(text: string | undefined): Big {
  return text !== undefined && /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) ? new Big(text) : new Big(0);
}

/** All digits there are, and at least the two that people expect of money. */
function moneyText(amount: Big): string {
  const text = amount.toFixed();
  const decimals = text.split('.')[1]?.length ?? 0;
  return decimals >= 2 ? text : amount.toFixed(2);
}

function isoTime(ms: number | undefined): string | null {
  return ms === undefined ? null : new Date(ms).toISOString();
}
