import type { PortfolioState } from '../portfolio.ts';
import { OPEN_STATES } from '../row.ts';

/**
 * How far a portfolio is: an import of it runs, or was given up; it is paused; rows are open; what is left waits for another
 * person's approval; or nothing is left.
 */
export type Standing = 'importing' | 'interrupted' | 'paused' | 'open' | 'awaiting' | 'settled';

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
  if (finishedMs !== undefined) return 'settled';
  return states.awaiting > 0 && OPEN_STATES.every((state) => states[state] === 0) ? 'awaiting' : 'open';
}
