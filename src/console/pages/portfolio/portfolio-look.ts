import type { CallKind } from '../../../call-kind.ts';
import type { Cause, CauseSample } from '../../../ledger/counts/cause.ts';
import type { KnownImport } from '../../../ledger/portfolios/imports.ts';
import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import {
  type CallsLeft,
  callsLeft,
  type FunnelStep,
  funnelOf,
  openRows,
  stoppedAt,
} from '../../../ledger/portfolios/summary.ts';
import type { Approval } from '../../../ledger/schema/approval.ts';
import type { PaceState } from '../../../pace/pace-state.ts';
import type { PaceSample } from '../../../pace/samples.ts';
import { type TimeLeft, timeLeftRange } from '../../../pace/time-left.ts';

/** All that the page of a portfolio shows, but for its rows: read at one moment, for all who look at it. */
export type PortfolioLook = {
  state: PortfolioState;
  imports: readonly KnownImport[];
  causes: readonly ShownCause[];
  /** What of it waits for another person, and who may say yes. */
  waiting: readonly { approval: Approval; approvers: readonly string[] }[];
  /** Things made twice for its rows; asked for only where there are such. */
  twice: readonly { kind: CallKind; id: string; again: string }[];
  /** The pace of the account; nothing before its first call. */
  pace: PaceState | undefined;
  /** How that went over the last hour in which calls were made. */
  samples: readonly PaceSample[];
  /** Calls a second for this portfolio alone, where it was looked at for some seconds. */
  ownPerS: number | undefined;
  /** Worker processes that gave a sign of life lately. */
  workers: number;
  /** Queues that somebody paused, for all portfolios. */
  pausedQueues: readonly string[];
  nowMs: number;
};

/** A cause with its first row, to look at. */
export type ShownCause = Cause & { sample: CauseSample | undefined };

/** What follows from a look. */
export type PortfolioOutlook = { open: number; steps: FunnelStep[]; calls: CallsLeft; left: TimeLeft | undefined };

/** What an outlook follows from. */
type Seen = Pick<PortfolioLook, 'state' | 'causes' | 'pace' | 'samples' | 'ownPerS' | 'nowMs'>;

/** Where the rows are on their way, what is still to be called, and how long that takes. */
export function portfolioOutlookOf({ state, causes, pace, samples, ownPerS, nowMs }: Seen): PortfolioOutlook {
  const steps = funnelOf(state, stoppedAt(causes));
  const calls = callsLeft(steps, state.states);
  const open = openRows(state);
  const goesOn = open > 0 && state.paused === undefined;
  const left = goesOn && pace ? timeLeftRange(calls, { pace, samples, ownPerS }, nowMs) : undefined;
  return { open, steps, calls, left };
}
