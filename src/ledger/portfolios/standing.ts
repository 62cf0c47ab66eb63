import { OPEN_STATES, rowsIn, SETTLED_STATES } from '../schema/row.ts';
import type { PortfolioState } from './portfolio.ts';

/**
 * How far a portfolio is: an import of it runs, or was given up; it is paused; rows are open; what is left waits for another
 * person's approval; only held rows are left, which need a person's answer; or nothing is left.
 */
export type Standing = 'importing' | 'interrupted' | 'paused' | 'open' | 'awaiting' | 'held' | 'settled';

export function standingOf({
  importing,
  interrupted,
  paused,
  finishedMs,
  states,
}: Pick<PortfolioState, 'importing' | 'interrupted' | 'paused' | 'finishedMs' | 'states'>): Standing {
  if (importing) return 'importing';
  if (paused !== undefined) return 'paused';
  if (interrupted) return 'interrupted';
  if (finishedMs !== undefined) return states.held > 0 ? 'held' : 'settled';
  return states.awaiting > 0 && openRows({ states }) === 0 ? 'awaiting' : 'open';
}

/** The rows of which is known what became of them. */
export function settledRows(states: PortfolioState['states']): number {
  return rowsIn(states, SETTLED_STATES);
}

/** The rows for which something is still to be done without a person. */
export function openRows({ states }: Pick<PortfolioState, 'states'>): number {
  return rowsIn(states, OPEN_STATES);
}
