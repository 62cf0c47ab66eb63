import type { Retry } from '../../jobs/operators/explain-rows.ts';
import { retryNamed } from '../../jobs/operators/retry-row.ts';
import { actOnRows } from '../../jobs/plans/act-on-rows.ts';
import type { Context } from '../../src/context.ts';
import type { AskedFor } from '../../src/ledger/approvals/approval-look.ts';
import type { Step } from '../../src/ledger/schema/row.ts';
import type { RowFilter } from '../../src/ledger/search/row-filter.ts';
import { afterThisMs } from './planned-rows.ts';

type Came = { rows: number; waits?: AskedFor };

/** Sends rows again as `limitline retry` does: one that is named, or by a plan all of a state. */
export async function retryRows({ by = 'test', ...retry }: Retry & { by?: string }, context: Context): Promise<Came> {
  if (retry.line !== undefined || retry.row !== undefined) {
    const retried = await retryNamed(retry, by, context);
    if (retried?.is === 'waits') return { rows: 0, waits: retried.asked };
    return { rows: retried?.is === 'again' ? 1 : 0 };
  }
  const { portfolio, state, error } = retry;
  return act('retry', { portfolio, by, filter: { states: [state], ...(error ? { problem: error } : {}) } }, context);
}

/** Sends held rows again as `limitline resolve --all --resend` does. */
export function resendHeld(
  { by = 'test', step, portfolio = 'q4' }: { by?: string; step?: Step; portfolio?: string },
  context: Context,
): Promise<Came> {
  return act('resend', { portfolio, by, filter: { states: ['held'], ...(step ? { step } : {}) } }, context);
}

async function act(
  action: 'retry' | 'resend',
  { portfolio, by, filter }: { portfolio: string; by: string; filter: RowFilter },
  context: Context,
): Promise<Came> {
  await afterThisMs(context);
  const { signal } = new AbortController();
  const how = { by, dryRun: false, awaitMs: 10_000, signal };
  const { state, waits } = await actOnRows({ portfolio, action, filter }, how, context);
  return { rows: waits ? 0 : (state?.done ?? 0), ...(waits ? { waits } : {}) };
}
