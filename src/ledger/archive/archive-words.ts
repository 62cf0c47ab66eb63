import { ROW_STATES, type RowState } from '../row.ts';
import type { ArchivedPortfolio, ArchiveStateName } from './archive-state.ts';

/** Where a portfolio is, in a list. */
export const ARCHIVE_STANDING: Readonly<Record<ArchiveStateName, string>> = {
  archiving: 'being archived',
  leaving: 'being archived',
  archived: 'archived',
  restoring: 'being restored',
  forgetting: 'being forgotten',
  forgotten: 'forgotten',
};

/** The rows that it had, each state by its count, in the order of states; those without rows are left out. */
export function archivedStates({ states = {} }: Pick<ArchivedPortfolio, 'states'>): [RowState, number][] {
  return ROW_STATES.flatMap((state) => ((states[state] ?? 0) > 0 ? [[state, states[state] ?? 0]] : []));
}

/** How many rows it had in all. */
export function archivedRows(archived: Pick<ArchivedPortfolio, 'states'>): number {
  return archivedStates(archived).reduce((sum, [, count]) => sum + count, 0);
}
