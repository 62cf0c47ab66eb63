import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { makeFinanceChecks } from '../../jobs/nightly/finance/index.ts';
import type { RowCheck, WalkedRow } from '../../jobs/nightly/walk-ledger.ts';
import { foundPages } from '../../jobs/rows/walk-rows.ts';
import type { Idempotency } from '../../src/config.ts';
import type { Context } from '../../src/context.ts';
import { makeApprovals } from '../../src/ledger/approvals/approvals.ts';
import { makeAtMostOnce } from '../../src/ledger/calls/at-most-once.ts';
import { type Dispute, makeAttempts } from '../../src/ledger/calls/attempts.ts';
import { makeCalls } from '../../src/ledger/calls/calls.ts';
import { startPresence } from '../../src/ledger/calls/fleet.ts';
import { makeMeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import type { FoundItem, FoundSink } from '../../src/ledger/nightly/checks.ts';
import { makePortfolios, type Portfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { makeRows, type Rows } from '../../src/ledger/rows/rows.ts';
import { makeStories } from '../../src/ledger/rows/story.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import { ROW_STATES, type RowRequest, type RowResult } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { StatusMeaning } from '../../src/status-meaning.ts';
import { callThrough } from './call-through.ts';
import { redisPlace, redisUrl } from './redis/own-database.ts';

/** A connection to the Redis of the test run; closed when the test ends. */
export function connectRedis(): Redis {
  const connection = new Redis({ ...redisPlace(), maxRetriesPerRequest: null });
  onTestFinished(() => connection.disconnect());
  return connection;
}

/** A key prefix that no other test has. */
export function freshPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** Settings for commands: the Redis of the test run with a new prefix. */
export const ownRedis = () => ({ REDIS_URL: redisUrl(), LIMITLINE_PREFIX: freshPrefix() });

/** A ledger of this test, with processes that may start and vanish. */
export function openLedger(
  asked: { asksApproval?: boolean; given?: [string, StatusMeaning][]; prefix?: string; idempotency?: Idempotency } = {},
) {
  const { asksApproval = false, given = [], prefix = freshPrefix(), idempotency } = asked;
  const connection = connectRedis();
  const keys = makeKeys(prefix, 'https://test.example');
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: ending.signal });
  const calls = makeCalls({ connection, keys, retryUntilAnswered, idempotency });
  const statusMeanings = makeMeaningStore({ connection, keys, given: new Map(given) });
  return {
    connection,
    keys,
    calls,
    rows: makeRows({
      connection,
      keys,
      retryUntilAnswered,
      canaryRefusals: 3,
      ownPolicy: { always: asksApproval, above: undefined },
      meanings: statusMeanings.read,
    }),
    approvals: makeApprovals({ connection, keys, retryUntilAnswered }),
    portfolios: makePortfolios({ connection, keys }),
    statusMeanings,
    stories: makeStories({ connection, keys }),
    /** A worker process for the ledger: it sends heartbeats until it is stopped or the test ends. */
    async process(processId: string) {
      const log = makeSilentLog();
      const attempts = makeAttempts({ processId, log });
      const onDisputes = (disputes: Dispute[]) => void attempts.answer(disputes, calls.disown);
      const presence = await startPresence({ connection, keys, processId, onDisputes, log });
      onTestFinished(() => presence.stop());
      const atMostOnce = makeAtMostOnce({ calls, attempts });
      return {
        once: (thing: Parameters<typeof callThrough>[1], options: Parameters<typeof callThrough>[2]) =>
          callThrough(atMostOnce, thing, options),
        atMostOnce,
        attempts,
        vanish: () => presence.stop(),
      };
    },
  };
}

/** The smallest request of a row, with changes. */
export function makeRequest(changes: Partial<RowRequest> = {}): RowRequest {
  return {
    name: 'Muster GmbH',
    buyer: 'buyer-of-muster',
    company: { name: 'Muster GmbH', address: { state: null } },
    documents: [],
    limit: { requested_limit: '1000' },
    ...changes,
  };
}

/** The row that {@link putRow} brings in. */
export const ROW = { portfolio: 'q4', key: 'row-1' };

/** A ledger of this test with one row, on line 2 of an import. */
export async function putRow(changes: Partial<RowRequest> = {}) {
  const ledger = openLedger();
  await ledger.rows.put(ROW, 2, 'import-1', makeRequest(changes));
  return ledger;
}

/** Moves a row to its limit, like the job of its company. */
export async function toLimit({ begin, advance }: Rows, row: RowId): Promise<void> {
  await begin(row, 'company');
  await advance(row, 'company', 'limit', { company: 'company_1' });
}

/** A row for the nightly check: done and approved as requested, with changes. */
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

/** Collects the findings of checks. */
export function makeFoundList(): FoundSink & { items: FoundItem[] } {
  const items: FoundItem[] = [];
  return { items, found: (item) => void items.push(item) };
}

/** Runs these checks over all rows of an account, one by one. */
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

/** The findings for finance after a night at this moment. */
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
