import type { PortfolioState } from '../portfolio.ts';

/** How far a portfolio is: an import of it runs, or was given up; it is paused; rows are open; or nothing is. */
export type Standing = 'importing' | 'interrupted' | 'paused' | 'open' | 'settled';

export function standingOf({
  importing,
  interrupted,
  paused,
  finishedMs,
}: Pick<PortfolioState, 'importing' | 'interrupted' | 'paused' | 'finishedMs'>): Standing {
  if (importing) return 'importing';
  if (paused !== undefined) return 'paused';
  if (interrupted) return 'interrupted';
  return finishedMs === undefined ? 'open' : 'settled';
}
