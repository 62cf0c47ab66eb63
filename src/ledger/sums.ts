import { Big } from 'big.js';
import { ROW_STATES, type RowResult, type RowState } from './row.ts';
import { pagesOf } from './row-pages.ts';
import type { Rows } from './rows.ts';

/** What is added up over all rows of a portfolio; amounts are exact decimal text. */
export type Sums = {
  /** Over all rows but those that another has replaced. */
  requested: string;
  /** Over those that are done, as the service answered. */
  granted: string;
  available: string;
  /** Limits, done or made before, whose `total_limit` is less than what was requested. */
  grantedBelow: number;
  /** What stood already when its row came (`skipped`): the sum that was granted, and the statuses it was granted with. */
  before: { granted: string; statuses: Record<string, number> };
};

/** Adds a portfolio up, row by row: a page of them stands in memory, and amounts are never floats. */
export async function addUp(portfolio: string, rows: Rows): Promise<Sums> {
  const total = { requested: new Big(0), granted: new Big(0), available: new Big(0), before: new Big(0), below: 0 };
  const statuses: Record<string, number> = {};
  const add = (state: RowState, { request, record }: RowResult): void => {
    const wanted = new Big(request.limit.requested_limit);
    total.requested = total.requested.plus(wanted);
    if (state !== 'done' && state !== 'skipped') return;
    const granted = amountOf(record.total_limit);
    if (granted?.lt(wanted)) total.below += 1;
    if (state === 'skipped') {
      total.before = total.before.plus(granted ?? 0);
      const status = record.status ?? '';
      statuses[status] = (statuses[status] ?? 0) + 1;
      return;
    }
    total.granted = total.granted.plus(granted ?? 0);
    total.available = total.available.plus(amountOf(record.available_limit) ?? 0);
  };
  for (const state of ROW_STATES) {
    for await (const page of pagesOf(rows, portfolio, state)) {
      for (const result of await rows.read(page)) if (result && !result.replaced) add(state, result);
    }
  }
  return {
    requested: moneyText(total.requested),
    granted: moneyText(total.granted),
    available: moneyText(total.available),
    grantedBelow: total.below,
    before: { granted: moneyText(total.before), statuses },
  };
}

/** Sums as they are kept with a portfolio, and what it was like when they were true. */
export type KeptSums = { stamp: string; sums: Sums };

/** What a portfolio's sums hang on. */
type Counted = {
  finishedMs: number | undefined;
  importing: boolean;
  replaced: number;
  states: Record<RowState, number>;
};

/**
 * What a finished portfolio's sums go by: when its end was, and how many rows are in each state. Rows that are done or were
 * made before stay so, and any other that gets new words is open first. Null while anything is open.
 */
export function stampOf({ finishedMs, importing, replaced, states }: Counted): string | null {
  return finishedMs === undefined || importing
    ? null
    : [finishedMs, replaced, ...ROW_STATES.map((state) => states[state])].join();
}

/** The service's amounts are taken as they come; one that is no number counts as nothing rather than as an error. */
function amountOf(text: string | undefined): Big | undefined {
  return text !== undefined && /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) ? new Big(text) : undefined;
}

/** All digits there are, and at least the two that people expect of money. */
function moneyText(amount: Big): string {
  const text = amount.toFixed();
  const decimals = text.split('.')[1]?.length ?? 0;
  return decimals >= 2 ? text : amount.toFixed(2);
}
