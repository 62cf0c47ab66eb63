import type { CallKind } from '../../call-kind.ts';
import { counted } from '../../counted.ts';
import type { SupplierInDoubt } from '../schema/approval.ts';
import type { RowFilter } from '../search/row-filter.ts';

/** The actions for many rows: send them again, cancel them, or send held rows again although their outcome is unknown. */
export const PLAN_ACTIONS = ['retry', 'cancel', 'resend'] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/** An action on many rows, as counted at one moment; a plan never changes. Times are in ms of the server's clock. */
export type Plan = {
  id: string;
  portfolio: string;
  action: PlanAction;
  /** Who made the plan. Like the person who confirms it, they count as the requester. */
  by?: string | undefined;
  /** Which rows: exactly those that it matches and that did not change at {@link Plan.atMs} or later. */
  filter: RowFilter;
  /** The cause that the filter names, as text. The ledger forgets a cause with the last row that failed for it. */
  cause: string | null;
  /** Whether the whole portfolio is cancelled: then one mark gives up all open rows. */
  whole: boolean;
  atMs: number;
  /** The plan can be confirmed until then. */
  expiresMs: number;
  /** The number of rows and the exact sum of their amounts. `isExact` is false if there are at least this many. */
  rows: number;
  sum: string;
  isExact: boolean;
  /** The portfolio's supplier, if the call for its company is in doubt as well and is sent again with the rows. */
  supplier?: SupplierInDoubt | undefined;
  /** Held rows of other portfolios that wait for the same calls, and so are sent again with them. */
  elsewhere?: readonly Elsewhere[] | undefined;
  /** The most calls that the plan leads to; zero if rows are cancelled. */
  calls: Record<CallKind, number>;
  /** Companies, documents and limits that were made already, and so are not made again. */
  made: Record<CallKind, number>;
  /** Whether `calls` and `made` were counted row by row; otherwise they are upper bounds. */
  isLookedUp: boolean;
  /** The expected duration at the current pace, in seconds; null if no pace is known. */
  seconds: { from: number; to: number } | null;
  /** Why another person must approve the plan first; "" if the reason is not a sum; undefined if nobody must. */
  approval?: string | undefined;
  /** How many imports of the portfolio had begun, and how often a row of it had been reopened. */
  begun: number;
  reopened: number;
};

/** A plan that was not saved yet. */
export type PlanDraft = Omit<Plan, 'id' | 'expiresMs'>;

/** The state of a plan. `stopped`: the process that carried it out died; the plan continues when it is confirmed again. */
export type PlanStanding = 'open' | 'expired' | 'running' | 'stopped' | 'ended';

/** A plan and its result so far. */
export type PlanState = {
  plan: Plan;
  standing: PlanStanding;
  /** Whether its portfolio is paused now; undefined if that was not looked up. */
  isPaused?: boolean | undefined;
  /** Rows that were handled. */
  done: number;
  /** Rows that match the filter now, but were added or changed since: they were left alone. */
  came: number;
  /** Rows with a call in flight, which must be answered first. */
  underWay: number;
  /** The approval for which its rows wait, if any: then `done` counts the waiting rows. */
  waits: string | undefined;
  /** Why they wait, for people. */
  why?: string | undefined;
  /** If a whole portfolio is cancelled: how many of its rows were cancelled before. */
  before: number | undefined;
  confirmedBy: string | undefined;
  confirmedMs: number | undefined;
  endedMs: number | undefined;
};

/** The answer to a process that wants to carry out a plan; only `go` allows it. `running`: another living process does it. */
export type PlanClaim = 'go' | 'running' | 'ended' | 'gone';

/** What is counted while a plan is carried out, besides what the row moves count. */
export type PlanCounts = Partial<Record<'came' | 'underWay' | 'done' | 'before', number>>;

/** Held rows of another portfolio that wait for the same call, so the answer to that call applies to them too. */
export type Elsewhere = { portfolio: string; rows: number; paused: boolean };

/** What happens to these rows, a sentence for each portfolio. Each portfolio has its own pause. */
export function elsewhereWords(elsewhere: readonly Elsewhere[] = []): string[] {
  return elsewhere.map(({ portfolio, rows, paused }) => {
    const which = `${counted(rows, 'held row')} of portfolio ${portfolio}, which is ${paused ? '' : 'not '}paused,`;
    return `${which} ${rows === 1 ? 'goes' : 'go'} on by the same answer${paused ? ' once somebody resumes it' : ''}.`;
  });
}
