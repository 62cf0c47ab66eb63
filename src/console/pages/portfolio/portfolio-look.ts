import type { CallKind } from '../../../call-kind.ts';
import type { PricedApproval } from '../../../ledger/approvals/approval-look.ts';
import type { FailedSessions } from '../../../ledger/calls/sessions.ts';
import type { Cause, CauseSample } from '../../../ledger/counts/cause.ts';
import type { ImportMade, KnownImport } from '../../../ledger/portfolios/imports.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import type { CallsLeft, FunnelStep } from '../../../ledger/portfolios/summary.ts';
import { callsLeft, funnelOf, openRows, stoppedAt } from '../../../ledger/portfolios/summary.ts';
import type { PaceState } from '../../../pace/pace-words.ts';
import type { PaceSample } from '../../../pace/samples.ts';
import { type TimeLeft, timeLeftRange } from '../../../pace/time-left.ts';
import type { Meanings } from '../../../status-meaning.ts';
import type { WhoMay } from '../who-may.ts';

/** All that the page of a portfolio shows, except its rows: one snapshot, for everybody who has the page open. */
export type PortfolioLook = {
  state: PortfolioState;
  meanings: Meanings;
  imports: readonly KnownImport[];
  /** For each import the lines that people left out by hand, without those whose requests are in the portfolio all the same. */
  leftOut: readonly Pick<ImportMade, 'leftOut' | 'outSum'>[];
  causes: readonly ShownCause[];
  /** The portfolio's open approvals, each with the people who may approve it. */
  waiting: readonly { approval: PricedApproval; approvers: readonly string[] }[];
  /** The declined imports of the portfolio whose rows nobody has asked for again, the latest first. */
  declined: readonly PricedApproval[];
  /**
   * Companies, documents and limits that were made twice for rows of the portfolio. They are read only if the portfolio's counts
   * say that there are any.
   */
  twice: readonly { kind: CallKind; id: string; again: string }[];
  /** Rows whose hosted session has no link. */
  sessions: FailedSessions;
  /** The pace of the account; nothing before its first call. */
  pace: PaceState | undefined;
  /** The pace over the last hour in which calls were made. */
  samples: readonly PaceSample[];
  /** Calls a second for this portfolio alone; known once its page was open for some seconds. */
  ownPerS: number | undefined;
  /** Worker processes that are alive, by their heartbeats. */
  workers: number;
  /** The names of people who may act on the portfolio, shown to a reader who may not. */
  who: WhoMay;
  /** Queues that somebody paused, which stops the rows of all portfolios. */
  pausedQueues: readonly string[];
  nowMs: number;
};

/** A cause with its first row as an example. */
export type ShownCause = Cause & { sample: CauseSample | undefined };

/** The figures computed from a portfolio's snapshot: number of open rows, rows at each step, calls that are left, time that is left. */
export type WorkLeft = { open: number; steps: FunnelStep[]; calls: CallsLeft; left: TimeLeft | undefined };

/** The parts of a snapshot from which {@link WorkLeft} is computed. */
export type PortfolioSeen = Pick<PortfolioLook, 'state' | 'pace' | 'samples' | 'ownPerS' | 'nowMs'> & {
  causes: readonly Cause[];
};

/** Computes from a portfolio's snapshot at which steps its rows are, which calls are still to be made, and how long they take. */
export function workLeftOf({ state, causes, pace, samples, ownPerS, nowMs }: PortfolioSeen): WorkLeft {
  const steps = funnelOf(state, stoppedAt(causes));
  const calls = callsLeft(steps, state.states);
  const open = openRows(state);
  const goesOn = open > 0 && state.paused === undefined;
  const left = goesOn && pace ? timeLeftRange(calls, { pace, samples, ownPerS }, nowMs) : undefined;
  return { open, steps, calls, left };
}
