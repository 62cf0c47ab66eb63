import { counted, grouped } from '../../src/counted.ts';
import { settledRows } from '../../src/ledger/counts/standing.ts';
import { rowCountOf } from '../../src/ledger/counts/summary.ts';
import type { PortfolioState } from '../../src/ledger/portfolio.ts';
import type { Service } from '../../src/open-service.ts';
import { describePace } from '../../src/pace/pace-words.ts';
import type { Extent } from '../progress/progress.ts';

/**
 * How far a run is: while it imports by lines read, then by rows that are settled, with what calls wait for and the time left.
 *
 * @param left see `read-time-left.ts`
 */
export function extentOf(
  lines: number,
  state: PortfolioState | undefined,
  { service, left }: { service: Pick<Service, 'paceNow'>; left: string },
): Extent {
  const words = describePace(service.paceNow());
  const waiting = words === '' ? '' : `; ${words}`;
  if (!state) return { done: 0, total: undefined, words: `${counted(lines, 'line')} read${waiting}` };
  const { refused, held, awaiting } = state.states;
  const [settled, total] = [settledRows(state.states), rowCountOf(state)];
  const waits = awaiting > 0 ? `, ${grouped(awaiting)} waiting for approval` : '';
  const trouble = [refused > 0 ? `, ${refused} refused` : '', held > 0 ? `, ${held} held` : '', waits].join('');
  const time = left === '' ? '' : `; ${left} left`;
  return {
    done: settled,
    total,
    words: `${grouped(settled)} of ${counted(total, 'row')} settled${trouble}${waiting}${time}`,
  };
}
