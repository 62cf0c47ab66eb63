import type { Redis } from 'ioredis';
import type { CallKind, Sent } from '../../../src/call-kind.ts';
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
import type { ApprovalStanding } from '../../../src/ledger/schema/approval.ts';
import { makeArchives } from '../../../src/ledger/schema/archives.ts';
import { makeKeys } from '../../../src/ledger/schema/keys.ts';
import { type RowState, STEPS, type Step } from '../../../src/ledger/schema/row.ts';
import { makeRetryUntilAnswered } from '../../../src/ledger/schema/until-answered.ts';
import { makeSilentLog } from '../../../src/log.ts';
import { freshPrefix } from '../ledger.ts';

/**
 * A call in flight. The test gives its answer; the ending is its result. With `goesOn`, its row moves on in the same
 * script.
 */
export type Flight = { attempt: Attempt; answer: (sent: Sent) => void; ended: Promise<Ended>; goesOn: boolean };

export type RealLedger = ReturnType<typeof openRealLedger>;

/** The ledger under test, with its own prefix, and the service's side of every call. */
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
    /** The causes of a portfolio alone. */
    causes: makeCauses({ connection, keys }).read,
    revision: (name: string, key: string) => connection.hget(keys.row(name, key), 'rev'),
    /** The state of the canary at each step. */
    canary: (name: string) => connection.hmget(keys.portfolio(name), ...STEPS.map((step) => `canary:${step}`)),
    /** The held rows of all portfolios, from their own index. */
    held: () => connection.zrange(keys.held, '0', '-1'),
    /** The rows of a state from its index alone: name and line. */
    index: (name: string, state: RowState) => connection.zrange(keys.rowsInState(name, state), '0', '-1', 'WITHSCORES'),
    /** The rows of a cause from its index alone: name and line. */
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
    /** What the service really made, by thing. The ledger is compared with it. */
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

export type ModelRow = {
  state: RowState;
  step: Step;
  line: number;
  name: string;
  company: string;
  revision: number;
  /** How often its portfolio had been cancelled when the row was put or sent again. */
  generation: number;
  /** The row that replaces it; '' if a file that replaces the others lacks its line. */
  replaced?: string | undefined;
  /** The approval that it has or waits for. */
  approval?: string | undefined;
  /** The step and revision at which its call was refused, until a worker has ended the row with that. */
  refusal?: string | undefined;
  /** The earlier state of a waiting row that was not new. */
  was?: Pick<ModelRow, 'state' | 'approval' | 'replaced'> | undefined;
};

export type ModelApproval = {
  portfolio: string;
  kind: 'import' | 'retry' | 'answer';
  standing: ApprovalStanding;
  /** Who asked, and may not answer; and who perhaps may not: that depends on whether a row was given up before a yes. */
  authors: Set<string>;
  perhaps: Set<string>;
  /** Whether a person declined one of its rows before: then it waits in any case. */
  isRedone?: boolean;
  /** Its size when it was answered, and the number of the answer, from 1. */
  answered?: { rows: number; by?: string; turn?: number } | undefined;
};

/** One call: of which process, for which row and thing. Its fate is known early when a person found out. */
export type Attempt = {
  process: string;
  portfolio: string;
  key: string;
  step: Step;
  revision: number;
  thing: string;
  fate: 'open' | 'made' | 'not made';
};

export type ModelCall = {
  state: 'claimed' | 'unknown' | 'made';
  owner: Attempt;
  id: string;
  row: string;
  doubted?: boolean;
} & Doubts;

/** Calls in doubt, and the number that "resend" has to compensate. */
type Doubts = { open: number; doubts: number };

export type ModelPortfolio = {
  paused: boolean;
  /** How often it was cancelled. */
  cancels: number;
  /** The approval of its running import. */
  approval?: string | undefined;
  /** The number of its rows that were replaced. */
  replaced: number;
  canary: Partial<Record<Step, string>>;
  statuses: number;
  calls: Record<CallKind | 'throttled', number>;
};

/** A call that was free, and is in doubt since this late attempt. */
export const inDoubt = (owner: Attempt): ModelCall => {
  return { state: 'unknown', owner, id: '', row: `${owner.portfolio}/${owner.key}`, open: 1, doubts: 1 };
};

export function noteDoubt(call: ModelCall): void {
  call.state = 'unknown';
  call.open += 1;
  call.doubts += 1;
}

export function noteRefusal(row: ModelRow | undefined, { step, revision }: Attempt): void {
  const isAt = row?.state === step || (row?.state === 'held' && row.step === step);
  if (isAt) row.refusal = `${step} ${revision}`;
}

/** So many first answers of a step, all refusals, pause the portfolio. */
export function watchCanary(portfolio: ModelPortfolio, step: Step, answer: 'ok' | '422' | '', refusals: number): void {
  const { canary } = portfolio;
  if (answer === '' || canary[step] === 'ok') return;
  const count = Number(canary[step] ?? 0) + 1;
  canary[step] = answer === 'ok' ? 'ok' : String(count);
  if (answer !== 'ok' && count >= refusals) portfolio.paused = true;
}

export function newPortfolio(): ModelPortfolio {
  return {
    paused: false,
    cancels: 0,
    replaced: 0,
    canary: {},
    statuses: 0,
    calls: { company: 0, document: 0, limit: 0, throttled: 0 },
  };
}

export function kindOf(step: Step): CallKind {
  return step === 'documents' ? 'document' : step;
}

export function isOpen(state: RowState): boolean {
  return ['queued', 'company', 'documents', 'limit'].includes(state);
}
