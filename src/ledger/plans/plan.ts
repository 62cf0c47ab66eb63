import type { CallKind } from '../../call-kind.ts';
import { counted } from '../../counted.ts';
import type { SupplierInDoubt } from '../schema/approval.ts';
import type { RowFilter } from '../search/row-filter.ts';

/** What can be planned for many rows: they are sent again, given up, or, where they are held, sent again all the same. */
export const PLAN_ACTIONS = ['retry', 'cancel', 'resend'] as const;
export type PlanAction = (typeof PLAN_ACTIONS)[number];

/** What is to be done, as it was counted at one moment; it never changes. Times are in ms of the server's clock. */
export type Plan = {
  id: string;
  portfolio: string;
  action: PlanAction;
  /** Who made it: as much as whoever confirms it, they ask for what it does. */
  by?: string | undefined;
  /** Which rows: all those, and only those, that it names and that did not change at {@link Plan.atMs} or later. */
  filter: RowFilter;
  /** What was known of the cause that the filter names; it is forgotten with the last row that failed for it. */
  cause: string | null;
  /** Whether it is the whole portfolio that is cancelled: then whatever is open is given up, with one mark. */
  whole: boolean;
  atMs: number;
  /** Until then it can be confirmed. */
  expiresMs: number;
  /** How many rows, and the exact sum of what they ask for; `isExact` is false where there are at least so many. */
  rows: number;
  sum: string;
  isExact: boolean;
  /** The portfolio's supplier, where its company is sent again with the rows: nobody knows what became of that either. */
  supplier?: SupplierInDoubt | undefined;
  /** Held rows of other portfolios that are sent again with them, since they wait for the same calls. */
  elsewhere?: readonly Elsewhere[] | undefined;
  /** Calls that this leads to, at the most; none where rows are given up. */
  calls: Record<CallKind, number>;
  /** Things that the rows name and that are made already: they are not made again. */
  made: Record<CallKind, number>;
  /** Whether `calls` and `made` were looked up row by row; else they are the most that it can be. */
  isLookedUp: boolean;
  /** The time it takes at the known pace, in seconds; null where no pace is known. */
  seconds: { from: number; to: number } | null;
  /** Why another person has to approve it before anything is sent, "" for another reason than a sum; nothing where nobody has to. */
  approval?: string | undefined;
  /** How many imports of the portfolio had been begun, and how often one of its rows had come back from its end. */
  begun: number;
  reopened: number;
};

/** What a plan is before somebody confirms it. */
export type PlanDraft = Omit<Plan, 'id' | 'expiresMs'>;

/** Where a plan stands: `stopped` is one whose process went away before the end; confirmed again, it goes on. */
export type PlanStanding = 'open' | 'expired' | 'running' | 'stopped' | 'ended';

/** A plan and what became of it. */
export type PlanState = {
  plan: Plan;
  standing: PlanStanding;
  /** Whether its portfolio is paused at this moment, where that was looked up. */
  isPaused?: boolean | undefined;
  /** Rows that were acted on. */
  done: number;
  /** Rows that the filter names now and that came, or changed, since: they were left alone. */
  came: number;
  /** Rows with a call under way, which is answered first. */
  underWay: number;
  /** The approval under which its rows wait for another person, where they do: then `done` counts those. */
  waits: string | undefined;
  /** Why they wait, in words, for whoever is shown it. */
  why?: string | undefined;
  /** Of a whole portfolio that is cancelled: how many of its rows were cancelled before. */
  before: number | undefined;
  confirmedBy: string | undefined;
  confirmedMs: number | undefined;
  endedMs: number | undefined;
};

/** What asking to carry a plan out is answered: by `go` alone. `running` is by another, who lives. */
export type PlanClaim = 'go' | 'running' | 'ended' | 'gone';

/** What is counted while a plan is carried out, beside what the rows' own moves count. */
export type PlanCounts = Partial<Record<'came' | 'underWay' | 'done' | 'before', number>>;

/** Held rows of another portfolio that wait for the same call, and so go on with whoever answers it. */
export type Elsewhere = { portfolio: string; rows: number; paused: boolean };

/** What becomes of them, a sentence for each portfolio: whether this one is paused is nothing to another. */
export function elsewhereWords(elsewhere: readonly Elsewhere[] = []): string[] {
  return elsewhere.map(({ portfolio, rows, paused }) => {
    const which = `${counted(rows, 'held row')} of portfolio ${portfolio}, which is ${paused ? '' : 'not '}paused,`;
    return `${which} ${rows === 1 ? 'goes' : 'go'} on by the same answer${paused ? ' once somebody resumes it' : ''}.`;
  });
}
