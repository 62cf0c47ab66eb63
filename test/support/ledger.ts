import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { makeApprovals } from '../../src/ledger/approvals/approvals.ts';
import { makeAtMostOnce } from '../../src/ledger/calls/at-most-once.ts';
import { type Dispute, makeAttempts } from '../../src/ledger/calls/attempts.ts';
import { makeCalls } from '../../src/ledger/calls/calls.ts';
import { startPresence } from '../../src/ledger/calls/fleet.ts';
import { makeMeaningStore } from '../../src/ledger/counts/meaning-store.ts';
import { makePortfolios } from '../../src/ledger/portfolios/portfolios.ts';
import { makeRows, type Rows } from '../../src/ledger/rows/rows.ts';
import { makeStories } from '../../src/ledger/rows/story.ts';
import { makeKeys } from '../../src/ledger/schema/keys.ts';
import type { RowRequest } from '../../src/ledger/schema/row.ts';
import type { RowId } from '../../src/ledger/schema/schema.ts';
import { makeRetryUntilAnswered } from '../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../src/log.ts';
import type { StatusMeaning } from '../../src/status-meaning.ts';
import { callThrough } from './call-through.ts';
import { redisPlace, redisUrl } from './redis/own-database.ts';

/** A connection to the test run's Redis, closed when the test ends. */
export function connectRedis(): Redis {
  const connection = new Redis({ ...redisPlace(), maxRetriesPerRequest: null });
  onTestFinished(() => connection.disconnect());
  return connection;
}

/** A key prefix that no other test has. */
export function freshPrefix(): string {
  return `test-${randomBytes(6).toString('hex')}`;
}

/** The settings by which a command has the test run's Redis, and keys of its own there. */
export const ownRedis = () => ({ REDIS_URL: redisUrl(), LIMITLINE_PREFIX: freshPrefix() });

/** A ledger of the test's own, and processes that may live and vanish in it. */
export function openLedger({
  asksApproval = false,
  given = [],
}: {
  asksApproval?: boolean;
  given?: [string, StatusMeaning][];
} = {}) {
  const connection = connectRedis();
  const keys = makeKeys(freshPrefix(), 'https://test.example');
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: ending.signal });
  const calls = makeCalls({ connection, keys, retryUntilAnswered });
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
    /** A worker process as the ledger sees one: it lives until it is stopped, or the test ends. */
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

/** A row's request with as little as a row can have. */
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

/** A ledger of the test's own with one row, of line 2 of an import. */
export async function putRow(changes: Partial<RowRequest> = {}) {
  const ledger = openLedger();
  await ledger.rows.put(ROW, 2, 'import-1', makeRequest(changes));
  return ledger;
}

/** Takes a row to its limit, as the job of its company does. */
export async function toLimit({ begin, advance }: Rows, row: RowId): Promise<void> {
  await begin(row, 'company');
  await advance(row, 'company', 'limit', { company: 'company_1' });
}
