import type { Redis } from 'ioredis';
import type { Sent } from '../../../src/call-kind.ts';
import { makeApprovals } from '../../../src/ledger/approvals/approvals.ts';
import { makeArchivePages } from '../../../src/ledger/archive/archive-pages.ts';
import { makeArchiveSteps } from '../../../src/ledger/archive/archive-steps.ts';
import { type AtMostOnce, type Ended, makeAtMostOnce } from '../../../src/ledger/calls/at-most-once.ts';
import { makeAttempts } from '../../../src/ledger/calls/attempts.ts';
import { makeCalls } from '../../../src/ledger/calls/calls.ts';
import { type Presence, startPresence } from '../../../src/ledger/calls/fleet.ts';
import { makeCauses } from '../../../src/ledger/counts/cause.ts';
import { makePortfolios } from '../../../src/ledger/portfolios/portfolios.ts';
import { makeRows } from '../../../src/ledger/rows/rows.ts';
import { makeArchives } from '../../../src/ledger/schema/archives.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { type RowState, STEPS } from '../../../src/ledger/schema/row.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { freshPrefix } from '../ledger.ts';
import type { Attempt } from './state.ts';

/**
 * A send that has left, as the test sees it: the answer is the test's to give, and the ending is what came of it. `goesOn` where its row
 * is to move on in the same step of the ledger.
 */
export type Flight = { attempt: Attempt; answer: (sent: Sent) => void; ended: Promise<Ended>; goesOn: boolean };

export type RealLedger = ReturnType<typeof openRealLedger>;

/** The ledger under test, on a prefix of its own, and the service's side of every send. */
export function openRealLedger(connection: Redis, { canaryRefusals }: { canaryRefusals: number }) {
  const keys = makeKeys(freshPrefix(), 'https://test.example');
  const retryUntilAnswered = makeRetryUntilAnswered({ log: makeSilentLog(), signal: new AbortController().signal });
  const calls = makeCalls({ connection, keys, retryUntilAnswered });
  const present = new Map<string, Presence>();
  const onces = new Map<string, AtMostOnce>();
  return {
    calls,
    rows: makeRows({
      connection,
      keys,
      retryUntilAnswered,
      canaryRefusals,
      ownPolicy: { always: true, above: undefined },
    }),
    approvals: makeApprovals({ connection, keys, retryUntilAnswered }),
    portfolios: makePortfolios({ connection, keys }),
    archiving: {
      archives: makeArchives({ connection, keys }),
      leaving: makeArchiveSteps({ connection, keys }),
      pages: makeArchivePages({ connection, keys }),
    },
    /** The causes of a portfolio, without reading all else that is known of it. */
    causes: makeCauses({ connection, keys }).read,
    revision: (name: string, key: string) => connection.hget(keys.row(name, key), 'rev'),
    /** What the canary goes by at each step. */
    canary: (name: string) => connection.hmget(keys.portfolio(name), ...STEPS.map((step) => `canary:${step}`)),
    /** The held rows of all portfolios by their own index. */
    held: () => connection.zrange(keys.held, '0', '-1'),
    /** Rows of a state by the index alone: name and line. */
    index: (name: string, state: RowState) => connection.zrange(keys.rowsInState(name, state), '0', '-1', 'WITHSCORES'),
    /** Rows of a cause by its index alone: name and line. */
    causeIndex: (name: string, cause: string) =>
      connection.zrange(keys.rowsOfCause(name, cause), '0', '-1', 'WITHSCORES'),
    atMostOnce(processId: string) {
      const once =
        onces.get(processId) ?? makeAtMostOnce({ calls, attempts: makeAttempts({ processId, log: makeSilentLog() }) });
      onces.set(processId, once);
      return once;
    },
    async appear(processId: string) {
      if (present.has(processId)) return;
      present.set(processId, await startPresence({ connection, keys, processId, log: makeSilentLog() }));
    },
    async vanish(processId: string) {
      await present.get(processId)?.stop();
      present.delete(processId);
    },
    flights: [] as Flight[],
    /** What the service really made, by thing: the judge. */
    made: new Map<string, string[]>(),
    make(thing: string): string {
      const ids = this.made.get(thing) ?? [];
      const id = `${thing.startsWith('company') ? 'company' : 'bl'}_${thing.replace(' ', '_')}_${ids.length + 1}`;
      this.made.set(thing, [...ids, id]);
      return id;
    },
    async close() {
      for (const presence of present.values()) await presence.stop();
    },
  };
}
