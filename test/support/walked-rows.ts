import { makeFinanceChecks } from '../../jobs/nightly/finance/index.ts';
import type { RowCheck, WalkedRow } from '../../jobs/nightly/walk-ledger.ts';
import { foundPages } from '../../jobs/rows/walk-rows.ts';
import type { Context } from '../../src/context.ts';
import type { FoundItem, FoundSink } from '../../src/ledger/nightly/checks.ts';
import type { Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import type { Rows } from '../../src/ledger/rows/rows.ts';
import { ROW_STATES, type RowResult } from '../../src/ledger/schema/row.ts';
import { makeRequest, ROW } from './ledger.ts';

/** A row as the nightly check walks by it: done and approved as it was asked for, but for what is given. */
export function makeWalked(changes: Partial<RowResult> = {}): WalkedRow {
  const request = changes.request ?? makeRequest();
  const amount = request.limit.requested_limit;
  const result: RowResult = {
    state: 'done',
    step: 'limit',
    line: 2,
    importId: '1',
    replaced: false,
    request,
    companyId: 'company_1',
    documentIds: [],
    limitId: 'bl_1',
    record: { status: 'approved', total_limit: amount, available_limit: amount },
    problem: undefined,
    cause: undefined,
    approval: undefined,
    awaits: undefined,
    statements: undefined,
    again: undefined,
    updatedMs: 0,
    sinceMs: 0,
    ...changes,
  };
  return { row: ROW, result };
}

/** Takes in what checks find, and has all of it. */
export function makeFoundList(): FoundSink & { items: FoundItem[] } {
  const items: FoundItem[] = [];
  return { items, found: (item) => void items.push(item) };
}

/** Leads these checks by all rows of an account, one by one. */
export async function walkAll(
  { rows, portfolios }: { rows: Rows; portfolios: Portfolios },
  checks: readonly RowCheck[],
): Promise<void> {
  for (const portfolio of await portfolios.names()) {
    for (const state of ROW_STATES) {
      for await (const page of foundPages(rows, portfolio, state)) {
        for (const walked of page) for (const check of checks) await check.row(walked);
      }
    }
    for (const check of checks) await check.endPortfolio?.(portfolio);
  }
  for (const check of checks) await check.end?.();
}

/** What finance is told of after a night at this moment. */
export async function financeItems(
  context: Context,
  { atMs = Date.now(), signal = new AbortController().signal } = {},
): Promise<FoundItem[]> {
  const sink = makeFoundList();
  const checks = await makeFinanceChecks(context, { sink, atMs, signal });
  await walkAll(context, checks.rowChecks);
  await checks.run();
  return sink.items;
}
