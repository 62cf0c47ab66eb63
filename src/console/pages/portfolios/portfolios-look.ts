import type { PortfolioState } from '../../../ledger/portfolios/portfolio.ts';
import type { PaceState } from '../../../pace/pace-state.ts';

/** Portfolios of one page, and what is needed to say what they wait for. */
export type PortfoliosLook = {
  portfolios: readonly PortfolioState[];
  /** The place behind them. */
  next?: string;
  /** How many there are in all. */
  total: number;
  /** How many are archived or forgotten, and so are not among them. */
  archived: number;
  pace: PaceState | undefined;
  workers: number;
  /** Queues that somebody paused, for all portfolios. */
  pausedQueues: readonly string[];
  nowMs: number;
};
